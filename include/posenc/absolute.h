// absolute.h: encodings that act on the input of a Transformer: x + row(position).
//
//   posenc::Sinusoidal pe{.dim = 512};
//   posenc::add(pe, x);               // x: [batch, tokens, 512], positions 0, 1, 2, ...
//
//   auto plan = posenc::prepare(pe);  // keep it: verbs that take a plan allocate nothing
//   posenc::add(plan, x, x, posenc::range(4096));  // output may be the input
//
// Tensors may have any strides and any batch shape [..., tokens, dim]; a computation is done in
// f64 for f64 and in f32 otherwise, then rounded once. Nothing is written when an Error is thrown.
#pragma once

#include "posenc/absolute/axial.h"
#include "posenc/absolute/gaussian.h"
#include "posenc/absolute/grid_sinusoidal.h"
#include "posenc/absolute/learned.h"
#include "posenc/absolute/learned_grid.h"
#include "posenc/absolute/nerf.h"
#include "posenc/absolute/perceiver.h"
#include "posenc/absolute/sinusoidal.h"
#include "posenc/absolute/temporal.h"
#include "posenc/absolute/time2vec.h"
#include "posenc/plan.h"
#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

// The closed list: a new scheme is one more name here.
using Absolute = std::variant<Sinusoidal, GridSinusoidal, Learned, LearnedGrid, Axial, Nerf,
                              Perceiver, Gaussian, Time2Vec, Temporal>;

// What a member of the list must offer; its columns come from waves(), or from trained
// tables.
template <class S>
concept AbsoluteScheme = Aggregate<S> && requires(const S s) {
  { s.name } -> std::convertible_to<std::string_view>;
  { s.about } -> std::convertible_to<std::string_view>;
  { S::presets() } -> std::same_as<std::vector<Preset<S>>>;
  { s.axes() } -> std::same_as<int64_t>;
  { s.weights() } -> std::same_as<std::vector<Weight>>;
  s.check();
};

// What is worth keeping of a scheme: its frequencies and the constants of its recurrence. Weights
// are read while the plan is made, except learned tables, which must outlive the plan.
class AbsolutePlan {
 public:
  int64_t dim() const;
  int64_t axes() const;

  struct Parts;  // internal
  const Parts& parts() const { return plan_parts(parts_); }
  AbsolutePlan() = default;
  explicit AbsolutePlan(detail::Shared<Parts> parts) : parts_(std::move(parts)) {}

 private:
  detail::Shared<Parts> parts_;
};

// keep: rows 0 .. keep - 1 are kept in f32 (4 keep dim bytes) for the verbs that apply rows to f32,
// f16 and bf16. It pays where few batch rows share a row of positions.
AbsolutePlan prepare(const Absolute& scheme, const PlanOptions& options = {});
template <AbsoluteScheme S>
AbsolutePlan prepare(const S& scheme, const PlanOptions& options = {}) {
  return prepare(Absolute(scheme), options);
}

// table[..., t, :] = row(position of t). table: [..., tokens, dim].
void fill(const AbsolutePlan& plan, const Tensor& table, const Positions& at = range(),
          Stream stream = {});

// out = x + row(position). x, out: [..., tokens, dim]; out may be x.
void add(const AbsolutePlan& plan, const Tensor& x, const Tensor& out,
         const Positions& at = range(), Stream stream = {});
// In place.
inline void add(const AbsolutePlan& plan, const Tensor& x, const Positions& at = range(),
                Stream stream = {}) {
  add(plan, x, x, at, stream);
}

// out = x + table[position], with rows that someone else made: [positions, dim] of any float type.
void add_rows(const Tensor& table, const Tensor& x, const Tensor& out,
              const Positions& at = range(), Stream stream = {});

struct EmbedOptions {
  double scale = 1;  // on the token's row; often sqrt(dim)
  Positions at{};
};

// out = scale * embedding[id] + row(position), in one pass.
// ids: i32 or i64 [..., tokens]; embedding: [vocabulary, dim]; out: [..., tokens, dim].
void embed(const AbsolutePlan& plan, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options = {}, Stream stream = {});

// Adds the gradient of everything learned to dweights, one f32 (f64 for an f64 dout) tensor for
// each of the scheme's weights(). The gradient of x is dout itself. Sums run in a fixed order.
void backward(const AbsolutePlan& plan, const Tensor& dout, std::span<const Tensor> dweights,
              const Positions& at = range(), Stream stream = {});

// Adds the gradient of the embedding to dembedding: [vocabulary, dim], f32, or f64 for f64.
void embed_backward(const Tensor& ids, const Tensor& dout, const Tensor& dembedding,
                    double scale = 1, Stream stream = {});

// How a learned table of one size becomes one of another: as torch.nn.functional.interpolate.
enum class Resize : uint8_t {
  copy,              // new rows are 0
  repeat,            // the table again
  linear,            // pixel centres aligned (align_corners=False)
  cubic,             // the same; a = -0.75: HF ViT, DINOv2, MAE, DeiT
  linear_antialias,  // a smaller table averages what it leaves out (antialias=True)
  cubic_antialias,   // the same; a = -0.5: timm
  linear_corners,    // first and last rows stay in place (align_corners=True): Qwen3-VL
  cubic_corners,
};
constexpr auto enum_names(Resize) {
  return names({"copy", "repeat", "linear", "cubic", "linear-antialias", "cubic-antialias",
                "linear-corners", "cubic-corners"});
}

// table: [rows, dim] -> out: [other rows, dim], apart from each other. The first `keep` rows (an
// offset, a class token) are copied as they are; the others are positions on a line, as in texts.
void resize(const Tensor& table, const Tensor& out, Resize how, int64_t keep = 0,
            Stream stream = {});

// The same for rows that are places of a grid, row by row, such as the patches of ViT: the sides,
// slowest first (height and width, or frames before them), become others. table: [keep + product of
// `from`, dim], out: [keep + product of `to`, dim]; 1 to 4 sides.
void resize_grid(const Tensor& table, const Tensor& out, const std::vector<int64_t>& from,
                 const std::vector<int64_t>& to, Resize how, int64_t keep = 0, Stream stream = {});

// Adds the gradient of that table to dtable, f32 (f64 for an f64 dout).
void resize_grid_backward(const Tensor& dout, const Tensor& dtable,
                          const std::vector<int64_t>& from, const std::vector<int64_t>& to,
                          Resize how, int64_t keep = 0, Stream stream = {});

// One-call forms prepare each time; add is in place.
void fill(const Absolute& scheme, const Tensor& table, const Positions& at = range(),
          const PlanOptions& plan = {}, Stream stream = {});
void add(const Absolute& scheme, const Tensor& x, const Positions& at = range(),
         const PlanOptions& plan = {}, Stream stream = {});
void embed(const Absolute& scheme, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options = {}, const PlanOptions& plan = {}, Stream stream = {});

}  // namespace posenc
