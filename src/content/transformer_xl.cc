// transformer_xl.cc: presets and checks of Transformer-XL.
#include "posenc/content/transformer_xl.h"

namespace posenc {
std::vector<Preset<TransformerXl>> TransformerXl::presets() {
  const Sinusoidal halves{.order = Order::halves}, interleaved{};
  const Sinusoidal wide{.dim = 1024, .order = Order::halves};
  const Sinusoidal gemma{.dim = 1536, .rule = TimescalesRule{}, .order = Order::halves};
  return {{"paper", "Dai et al. 2019: sines, then cosines", {}},
          {"xlnet", "XLNet large", {.heads = 16, .sinusoids = wide}},
          {"conformer",
           "espnet, NeMo, Hugging Face: sine and cosine side by side",
           {.sinusoids = interleaved}},
          {"espnet-legacy", "espnet's older attention", {.sinusoids = interleaved, .legacy = true}},
          {"gemma-audio",
           "Gemma 3n audio: w_k = base^(-k/(n-1)), no biases",
           {.dim = 192, .sinusoids = gemma, .biases = false}}};
}

void TransformerXl::check() const {
  check_size(name, "dim", dim);
  check_size(name, "heads", heads);
  sinusoids.check();
  if (sinusoids.learned_scale) fail(name, "expected sinusoids without a learned scale");
  if (clamp_len < 0 || clamp_len > max_size)
    fail(name, "expected clamp_len from 0 to ", max_size, ", got ", clamp_len);
  if (legacy && clamp_len > 0) fail(name, "expected no clamp_len with the legacy form");
}

}  // namespace posenc
