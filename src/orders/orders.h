// orders.h: calls as plain structs, which is all that a device is told.
//
// A verb checks what it was given, writes down the whole call as one of these and hands it to
// run(), which picks the device. src/cpu/ and src/cuda/ know how; they check nothing.
#pragma once

#include "base/cache_places.h"
#include "base/kept.h"
#include "base/places.h"
#include "base/score_places.h"
#include "orders/magnitudes.h"
#include "orders/reordering.h"
#include "orders/rotary_span.h"
#include "orders/row_source.h"
#include "posenc/rotary/head_norm.h"

namespace posenc {

// out = x + row(place) for [..., tokens, dim]. Without x the rows alone; with ids, x is scale *
// embedding[id]. It refers to its tensors, since one token takes no longer than to copy them.
struct AddOrder {
  const RowSource& rows;
  const Places& at;
  const Tensor& out;
  const Tensor* x = nullptr;
  const Tensor *ids = nullptr, *embedding = nullptr;
  double scale = 1;
  Stream stream{};
  Device device() const { return out.device; }
};

// dweights += the gradient of what the rows are made of.
struct RowGradientOrder {
  const RowSource& rows;
  Places at;
  Tensor dout;
  std::span<const Tensor> dweights;
  Stream stream{};
  Device device() const { return dout.device; }
};

// sums[id] += scale * dout, token after token.
struct ScatterOrder {
  Tensor ids, dout, sums;
  double scale;
  Stream stream{};
  Device device() const { return dout.device; }
};

// Rows that are places of a grid, after `keep` others: which sides they have, and which they get.
struct GridSides {
  int count = 0;
  int64_t from[4] = {}, to[4] = {};
};

// out = the rows of a table, resized; the first `keep` stay as they are. Adjoint: out, the gradient
// of the table, += what `in`, that of the resized one, says about it.
struct ResizeOrder {
  Tensor in, out;
  GridSides sides;
  Resize how;
  int64_t keep;
  bool adjoint = false;
  Stream stream{};
  Device device() const { return out.device; }
};

// Queries or keys, [..., tokens, heads, dim], on their way; of rank 0 where they are not given.
struct RotaryHeads {
  Tensor in{}, out{};
  int64_t first = 0, count = 0;  // heads that are rotated
};

enum class Way : uint8_t { forward, adjoint, inverse };

// out = in, rotated by rows [cosines | sines], one for all heads or one for each.
struct RotateOrder {
  const RowSource& rows;
  int64_t row_heads;
  Places at;
  RotaryHeads q, k;
  RotarySpan span;
  Magnitudes magnitudes;
  Way way = Way::forward;
  Stream stream{};

  int64_t row() const { return 2 * span.pairs; }
  const Tensor& any() const { return q.in.rank > 0 ? q.in : k.in; }
  Device device() const { return any().device; }
};

// The same after the norm of every head, and k and v stored in caches [pages, page_size, heads,
// dim] at their slots; a tensor of rank 0 is not given. Each output is rounded once, to its own
// type.
struct RotateIntoOrder {
  RotateOrder rotation;  // forward; where keys go to the cache alone, k.out is of rank 0
  HeadNorm norm{};
  Tensor v{};  // [..., tokens, v heads, value_dim], of the type of q and k
  Tensor k_cache{}, v_cache{};
  CachePlaces places{};
  Stream stream{};
  Device device() const { return rotation.device(); }
};

// Rotates keys in place from their old positions and plan to new ones, by rows over the coordinates
// of both. One row serves all tokens that move alike where `may_share`.
struct MoveOrder {
  const RowSource &rows, &from, &to;
  int64_t row_heads;
  Places was, is;
  RotaryHeads k;
  RotarySpan span;
  Magnitudes before, after;
  bool may_share;
  Stream stream{};

  Device device() const { return k.in.device; }
};

// sums, f64, += the gradient of the frequencies that rotated x (in q.in, k.in) to something of
// gradient dy (in q.out, k.out).
struct RotateGradientOrder {
  RotateOrder rotation;
  Tensor sums;
  Stream stream{};
  Device device() const { return rotation.device(); }
};

// pairs [..., 2 n] = (softplus(x), 0) of x [..., n]; with dx: dx = what pairs, then the gradient of
// those, say about x.
struct PolarOrder {
  Tensor x, pairs, dx{};
  Layout layout;
  Stream stream{};

  bool is_gradient() const { return dx.rank > 0; }
  // From a pair to the next, and from its first number to its second, in elements.
  int64_t step() const { return pairs.step(-1) * (layout == Layout::half ? 1 : 2); }
  int64_t apart() const { return pairs.step(-1) * (layout == Layout::half ? x.size(-1) : 1); }
  Device device() const { return x.device; }
};

// out = weight [heads * dim] or [heads * dim, inputs], the features of each head in another order;
// out may be the weight.
struct ReorderOrder {
  Tensor weight, out;
  int64_t dim;
  Reordering how;
  Stream stream{};
  Device device() const { return out.device; }
};

// ---- scores ------------------------------------------------------------------------------------

enum class Reads : uint8_t;
struct BiasFormula;
class ContentPlan;

// Where the biases of a call come from: profiles, one for each of its heads, or a formula that is
// computed pair by pair.
struct BiasSource {
  const BiasFormula* formula = nullptr;  // not needed where there is a profile by distance
  Reads reads{};
  int64_t first_head = 0;
  double factor = 1;  // on the formula's biases
  // Entry n of head h, profile[h * ld + n * step], belongs to distance (key, entry) range.first +
  // n; an empty range: pair by pair. Another device than the CPU makes the formula's profile
  // itself, multiplies one that is given by the factor, and takes any step; the CPU's is 1.
  Range range{};
  const void* profile = nullptr;
  int64_t ld = 0, step = 1;
};

// out [heads, n] = factor * biases of heads from first_head on, at distances from `first` on.
struct ProfileOrder {
  const BiasFormula& formula;
  int64_t first_head, first;
  double factor;
  Tensor out;
  Stream stream{};
  Device device() const { return out.device; }
};

// out = scale * scores + bias, [..., heads, queries, keys]; profiles are of the compute type.
struct AddBiasOrder {
  BiasSource bias;
  ScorePlaces at;
  Tensor scores, out;
  double scale;
  Stream stream{};
  Device device() const { return out.device; }
};

// out = the biases alone; profiles are of the type of out.
struct FillBiasOrder {
  BiasSource bias;
  ScorePlaces at;
  Tensor out;
  Stream stream{};
  Device device() const { return out.device; }
};

// dweights += what dout says about them.
struct BiasGradientOrder {
  BiasSource bias;
  ScorePlaces at;
  Tensor dout;
  std::span<const Tensor> dweights;
  Stream stream{};
  Device device() const { return dout.device; }
};

// The term of a content scheme, and what it reads.
struct TermSource {
  const ContentPlan& plan;
  Tensor q{}, k{}, gates{};
  int64_t heads = 0, first_head = 0;
  double before = 1, after = 1;  // scales: on the scores, on their sum with the term
};

// out = after * (before * scores + term).
struct AddTermOrder {
  TermSource term;
  ScorePlaces at;
  Tensor scores, out;
  Stream stream{};
  Device device() const { return out.device; }
};

// Adds to the gradients that are wanted; a tensor of rank 0 is not.
struct TermGradientOrder {
  TermSource term;
  ScorePlaces at;
  Tensor scores, dout;
  Tensor dq, dk, dgates, dscores;
  std::span<const Tensor> dweights;
  Stream stream{};
  Device device() const { return dout.device; }
};

// out += probabilities times the vectors of the distances. Backward: out is the gradient of it,
// dprobabilities and dweights are added to.
struct OutputsOrder {
  TermSource term;
  ScorePlaces at;
  Tensor probabilities, out;
  bool backward = false;
  Tensor dprobabilities{};
  std::span<const Tensor> dweights{};
  Stream stream{};
  Device device() const { return out.device; }
};

// out = softmax(scale * q . k, with what the encoding says) v. At most one of turns, bias and term
// is there.
struct AttendOrder {
  Tensor q, k, v, out;
  ScorePlaces at;
  double scale;
  const RotateOrder *rotate_q = nullptr,
                    *rotate_k = nullptr;  // before; of copies that the driver makes
  const BiasSource* bias = nullptr;
  const TermSource* term = nullptr;
  const TermSource* values = nullptr;
  Device device() const { return out.device; }
};

// Does what an order says, on the device its tensors live on.
template <class Order>
void run(const Order& order);

// All that both devices do; attention is a reference, and the CPU's alone.
// clang-format off
#define POSENC_ORDERS(EACH)                                                                    \
  EACH(AddOrder) EACH(RowGradientOrder) EACH(ScatterOrder) EACH(ResizeOrder) EACH(RotateOrder) \
  EACH(RotateIntoOrder) EACH(MoveOrder) EACH(RotateGradientOrder) EACH(ReorderOrder)                \
  EACH(PolarOrder) EACH(ProfileOrder) EACH(AddBiasOrder) EACH(FillBiasOrder)                   \
  EACH(BiasGradientOrder) EACH(AddTermOrder) EACH(TermGradientOrder) EACH(OutputsOrder)
// clang-format on

#define POSENC_RUN(Order) void run(const Order& order);
namespace cpu {
POSENC_ORDERS(POSENC_RUN)
void run(const AttendOrder& order);
}  // namespace cpu

namespace cuda {
// Copies what a device needs of a plan there, if it was not done before.
void keep(const RowSource& rows, int device);
// The same for biases, with the f32 profile of a range, if any.
void keep(const BiasFormula& formula, int64_t heads, Range range, int device);
// The same for content terms, in both compute types.
void keep(const ContentPlan& plan, int device);
POSENC_ORDERS(POSENC_RUN)
}  // namespace cuda
#undef POSENC_RUN

}  // namespace posenc
