// transformer_xl.cc: options, presets and checks of Transformer-XL.
#include "posenc/content/transformer_xl.h"

#include "absolute/plan.h"
#include "content/formula.h"

namespace posenc {

Fields TransformerXl::fields() {
  using S = TransformerXl;
  return {{"dim", &S::dim, "head size"},
          {"heads", &S::heads, "heads of the whole model"},
          {"sinusoids", &S::sinusoids, "the rows R, before the projection"},
          {"clamp_len", &S::clamp_len, "larger distances count as this; 0: no limit"},
          {"biases", &S::biases, "learn u and v", "true"},
          {"legacy", &S::legacy, "keys after the query as the first code had them"}};
}

std::vector<Weight> TransformerXl::weights() const {
  std::vector<Weight> out{{"projection", {heads, dim, sinusoids.dim}, 0, 0.02}};
  if (biases) out.push_back({"content_bias", {heads, dim}, 0, 0.02});
  if (biases) out.push_back({"position_bias", {heads, dim}, 0, 0.02});
  return out;
}

std::vector<Preset<TransformerXl>> TransformerXl::presets() {
  const Sinusoidal halves{.order = Order::halves}, interleaved{};
  const Sinusoidal wide{.dim = 1024, .order = Order::halves};
  const Sinusoidal gemma{.dim = 1536, .rule = TimescalesRule{}, .order = Order::halves};
  return {{"paper", "Dai et al. 2019: sines, then cosines", {}},
          {"xlnet", "XLNet large", {.heads = 16, .sinusoids = wide}},
          {"funnel",
           "Funnel; its segments are a term of their own",
           {.heads = 12, .sinusoids = {.dim = 768, .order = Order::halves}}},
          {"conformer",
           "ESPnet, NeMo, Hugging Face: sine and cosine side by side",
           {.sinusoids = interleaved}},
          {"espnet-legacy", "ESPnet's older attention", {.sinusoids = interleaved, .legacy = true}},
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

// The bias u that meets keys is a table of one row.
TermFormula TransformerXl::formula(const WeightLists&) const {
  const int64_t limit = clamp_len > 0 ? clamp_len : int64_t{1} << 53;
  RowLookups form;
  form.projection = 0, form.inputs = sinusoids.dim;
  LookupPart part{.dim = dim, .row_step = dim};
  part.rule.distance = {.sign = -1, .low = -limit, .high = limit};
  if (legacy) part.rule.distance.most = 0;
  form.add(part);
  if (legacy) {
    part.rule.distance.least = 2, part.rule.distance.most = INT64_MAX, part.ahead = 1;
    form.add(part);
  }
  if (biases) {
    form.bias = 2;
    form.add(
        {.by_key = true, .dim = dim, .rows = 1, .head_step = dim, .row_step = dim, .weight = 1});
  }
  return {.form = form, .sinusoids = plan_of(sinusoids), .queries_end_with_keys = legacy};
}

}  // namespace posenc
