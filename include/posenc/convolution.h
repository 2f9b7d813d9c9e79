// convolution.h: neighbours tell a token where it stands (wav2vec 2.0, data2vec, CPVT).
//
//   y = x + act(norm(conv(x)))      one layer; of several, each reads the result of the one before
//
// The convolution runs over time, or over a grid of patches, with zeros around it, and is the only
// thing here that reads what tokens hold. An even kernel reaches one token further back than ahead.
//
//   posenc::Convolution pe{.dim = 768, .kernel = 128, .groups = 16};   // wav2vec 2.0
//   auto plan = posenc::prepare(pe, {.weights = weights});             // weight_g, weight_v, bias
//   posenc::convolve(plan, x, y);                                      // [batch, tokens, 768]
//
// Tensors lie in the memory of the host, with any strides and any batch shape. A computation is
// done in f64 for f64 and in f32 otherwise, then rounded once.
#pragma once

#include "posenc/aliases.h"
#include "posenc/plan.h"
#include "posenc/scheme_info.h"

namespace POSENC_PUBLIC posenc {

enum class ConvolutionActivation : uint8_t { gelu, none };
constexpr auto enum_names(ConvolutionActivation) { return names({"gelu", "none"}); }

struct Convolution {
  static constexpr std::string_view name = "convolution";
  static constexpr std::string_view about = "a convolution of the input over its neighbours";
  static constexpr std::string_view used_by =
      "wav2vec 2.0, HuBERT, WavLM, UniSpeech, SpeechT5, XLS-R, data2vec-audio, Twins (PEG), CPVT";

  int64_t dim = 768;
  int64_t coordinates = 1;
  int64_t kernel = 128;
  int64_t groups = 16;
  int64_t layers = 1;
  bool weight_norm = true;
  bool layer_norm = false;
  ConvolutionActivation activation = ConvolutionActivation::gelu;
  int64_t prefix = 0;

  static Fields fields();
  static std::vector<Preset<Convolution>> presets();
  void check() const;
  // Of each layer: weight [dim, dim / groups, kernel] (a kernel more on a grid) and bias [dim].
  // With weight_norm the weight of each tap is g v / |v|: weight_g [1, 1, kernel], then weight_v.
  std::vector<Weight> weights() const;

  int64_t taps() const { return coordinates == 2 ? kernel * kernel : kernel; }
};

class ConvolutionPlan {
 public:
  struct Parts;  // internal
  const Parts& parts() const { return plan_parts(parts_); }
  ConvolutionPlan() = default;
  explicit ConvolutionPlan(detail::Shared<Parts> parts) : parts_(std::move(parts)) {}

 private:
  detail::Shared<Parts> parts_;
};

// The weights are read now.
ConvolutionPlan prepare(const Convolution& scheme, const PlanOptions& options = {});

struct ConvolveOptions {
  int64_t height = 0, width = 0;  // of a grid: tokens are prefix + height x width, row by row
  bool add_input = true;          // false: the embedding alone, 0 for the prefix
};

// x, out: [..., tokens, dim]; out may be x.
void convolve(const ConvolutionPlan& plan, const Tensor& x, const Tensor& out,
              const ConvolveOptions& options = {});

// The gradients of that: dx, of the type of x, is written (it may be dout; rank 0: not wanted), and
// dweights, one f32 (f64 for f64) tensor for each weight or none at all, are added to.
void convolve_backward(const ConvolutionPlan& plan, const Tensor& x, const Tensor& dout,
                       const Tensor& dx, std::span<const Tensor> dweights,
                       const ConvolveOptions& options = {});

// By name, as schemes of other families (scheme.h): "convolution", or one of the names that models
// give it, such as "wav2vec2", each a preset.
const std::vector<Alias>& convolution_aliases();
bool is_convolution(std::string_view name);
Convolution make_convolution(std::string_view name, const Options& options = {});
Convolution convolution_from_json(std::string_view name, std::string_view json);
SchemeInfo info(const Convolution& scheme);

}  // namespace posenc
