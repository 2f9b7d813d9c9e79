// verbs.h: functions on plans of biases; independent of particular schemes.
#pragma once

#include <optional>

#include "posenc/plan.h"
#include "posenc/positions.h"
#include "posenc/relative/reads.h"
#include "posenc/type.h"

namespace POSENC_PUBLIC posenc {

class BiasPlan {
 public:
  int64_t heads() const;
  Reads reads() const;
  int64_t axes() const;  // of the positions that it reads

  struct Parts;  // internal
  const Parts& parts() const { return plan_parts(parts_); }
  BiasPlan() = default;
  explicit BiasPlan(detail::Shared<Parts> parts) : parts_(std::move(parts)) {}

 private:
  detail::Shared<Parts> parts_;
};

// The bias of one head for a query and a key at these positions, on every axis.
double bias(const BiasPlan& plan, int64_t head, double query, double key);

// Whether a model's softmax scale multiplies the bias too.
enum class ScaleOn : uint8_t {
  scores,  // scale * scores + bias       T5 (scale 1), Bloom, MPT, Swin
  sum,     // scale * (scores + bias)     Falcon, LayoutLMv3
};
constexpr auto enum_names(ScaleOn) { return names({"scores", "sum"}); }

// Schemes with several axes (layout, segment-buckets, box-relation) take positions [axes, rows,
// tokens]; a range, or ids for one axis, are used on all of them.
// causal compares the first axis.
struct ScoreOptions {
  Positions queries{}, keys{};  // default 0, 1, ...; with a cache, queries start at its length
  // The first head of the scores, if they hold only some heads of the model; otherwise not given.
  std::optional<int64_t> first_head{};
  bool causal = false;  // keys after the query get -infinity
  double scale = 1;
  ScaleOn scale_on = ScaleOn::scores;
};

// profile[h, n] = bias of head first_head + h at distance (key, or entry of a window) first + n.
// profile: [heads, any], with all heads unless first_head is given. An Error for schemes that read
// query and key.
void fill_profile(const BiasPlan& plan, const Tensor& profile, int64_t first,
                  std::optional<int64_t> first_head = {}, Stream stream = {});

// out = only the biases, as added to scores of 0. out: [..., heads, queries, keys].
void fill(const BiasPlan& plan, const Tensor& out, const ScoreOptions& options = {},
          Stream stream = {});

// out = scores plus biases; out may be scores.
void add(const BiasPlan& plan, const Tensor& scores, const Tensor& out,
         const ScoreOptions& options = {}, Stream stream = {});
// In place.
inline void add(const BiasPlan& plan, const Tensor& scores, const ScoreOptions& options = {},
                Stream stream = {}) {
  add(plan, scores, scores, options, stream);
}

// The same for a given profile, for example from fill_profile(): [heads, any] of f32 (f64
// for f64 scores), entry n for the distance key - query = first + n. An Error for distances
// outside the profile.
void add_profile(const Tensor& profile, int64_t first, const Tensor& scores, const Tensor& out,
                 const ScoreOptions& options = {}, Stream stream = {});

// Adds the gradients of learned weights to dweights, one f32 (f64 for an f64 dout) tensor for each
// of the scheme's weights(). dout: the gradient of add()'s result; that of the scores is
// scale * dout. Sums run in a fixed order.
void backward(const BiasPlan& plan, const Tensor& dout, std::span<const Tensor> dweights,
              const ScoreOptions& options = {}, Stream stream = {});

}  // namespace posenc
