// convolution.h: positional encoding by convolution (wav2vec 2.0, data2vec, CPVT).
//
//   y = x + act(norm(conv(x)))      one layer; each further layer reads the result of the previous
//
// The convolution runs over time, or over a grid of patches, with zero padding. It depends on the
// tokens' features. A kernel of even width reaches one token further back than ahead.
//
//   posenc::Convolution pe{.dim = 768, .kernel = 128, .groups = 16};   // wav2vec 2.0
//   auto plan = posenc::prepare(pe, {.weights = weights});             // weight_g, weight_v, bias
//   posenc::convolve(plan, x, y);                                      // [batch, tokens, 768]
//
// Tensors are in host memory, with any strides and any batch shape. Computations are done in f64
// for f64 and in f32 otherwise, then rounded once.
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
  // Per layer: weight [dim, dim / groups, kernel] (one more kernel axis on a grid) and bias [dim].
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

// Reads the weights.
ConvolutionPlan prepare(const Convolution& scheme, const PlanOptions& options = {});

struct ConvolveOptions {
  int64_t height = 0, width = 0;  // of a grid; tokens are prefix + height x width, row by row
  bool add_input = true;          // false: only the encoding; 0 for the prefix
};

// x, out: [..., tokens, dim]; out may be x.
void convolve(const ConvolutionPlan& plan, const Tensor& x, const Tensor& out,
              const ConvolveOptions& options = {});

// Gradients: writes dx, of the type of x (may be dout; rank 0: not computed), and adds to dweights,
// one f32 (f64 for f64) tensor for each weight, or none at all.
void convolve_backward(const ConvolutionPlan& plan, const Tensor& x, const Tensor& dout,
                       const Tensor& dx, std::span<const Tensor> dweights,
                       const ConvolveOptions& options = {});

// By name, like schemes of other families (scheme.h): "convolution", or a preset named after a
// model, such as "wav2vec2".
const std::vector<Alias>& convolution_aliases();
bool is_convolution(std::string_view name);
Convolution make_convolution(std::string_view name, const Options& options = {});
Convolution convolution_from_json(std::string_view name, std::string_view json);
SchemeInfo info(const Convolution& scheme);

}  // namespace posenc
