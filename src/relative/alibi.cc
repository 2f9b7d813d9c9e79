// alibi.cc: slopes and biases of ALiBi.
#include "posenc/relative/alibi.h"

#include <bit>
#include <cmath>

#include "relative/formula.h"

namespace posenc {
Fields Alibi::fields() {
  using S = Alibi;
  return {
      {"heads", &S::heads, "heads of the whole model"},
      {"bias_max", &S::bias_max, "the smallest slope is 2^-bias_max"},
      {"form", &S::form, "whether the bias reads the distance or the key alone"},
      {"square_root", &S::square_root, "the square root of the distance instead of the distance"},
      {"alibi_heads", &S::alibi_heads, "heads that have a slope; the others get none"},
      {"slopes", &S::slopes, "the slopes, one for each head"},
      {"learned_slopes", &S::learned_slopes, "the slopes are a learned weight", "true"},
      {"rounding", &S::rounding, "rounding of the product or of everything, as in some models"}};
}

std::vector<Preset<Alibi>> Alibi::presets() {
  return {{"paper", "Press et al. 2022: both sides of the query", {}},
          {"bloom", "Bloom: reads the key alone", {.heads = 32, .form = AlibiForm::keys}},
          {"bloom-bf16",
           "Bloom as it runs in bf16",
           {.heads = 32, .form = AlibiForm::keys, .rounding = AlibiRounding::bf16_product}},
          {"falcon",
           "Falcon-RW: reads the key alone; slope, key and product in bf16",
           {.heads = 71, .form = AlibiForm::keys, .rounding = AlibiRounding::bf16}},
          {"mpt",
           "MPT: reads the key alone; the last key is at 0, those before it at -1, -2, ...",
           {.heads = 32, .form = AlibiForm::keys}},
          {"step1", "Step-1: the square root of the distance", {.heads = 64, .square_root = true}}};
}

std::vector<Weight> Alibi::weights() const {
  if (!learned_slopes) return {};
  return {{"slopes", {heads}, 0.25, 0}};
}

void Alibi::check() const {
  check_size(name, "heads", heads);
  check_positive(name, "bias_max", bias_max);
  if (alibi_heads && (*alibi_heads < 0 || *alibi_heads > heads))
    fail(name, "expected alibi_heads from 0 to ", heads, ", got ", *alibi_heads);
  if (!slopes.empty() && std::ssize(slopes) != heads)
    fail(name, "expected slopes for ", heads, " heads, got ", slopes.size());
  for (const double s : slopes) check_finite(name, "slopes", s);
  if (learned_slopes && (!slopes.empty() || alibi_heads))
    fail(name, "expected learned_slopes without slopes and alibi_heads, got both");
}

double Alibi::slope(int64_t head) const {
  if (head < 0 || head >= heads)
    fail(name, "expected a head from 0 to ", heads - 1, ", got ", head);
  if (!slopes.empty()) return slopes[static_cast<size_t>(head)];
  const int64_t n = alibi_heads.value_or(heads);
  if (head >= n) return 0;
  const auto c = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n)));
  const auto h = static_cast<double>(head), all = static_cast<double>(c);
  return head < c ? std::exp2(-bias_max * (h + 1) / all)
                  : std::exp2(-bias_max / 2 * (2 * (h - all) + 1) / all);
}

BiasFormula Alibi::formula(const WeightValues& weights) const {
  WeightValues m = weights;
  for (int64_t h = 0; !learned_slopes && h < heads; ++h) m.push_back(slope(h));
  const forms::Slopes slopes{form, square_root, rounding};
  for (double& slope : m) slope = slopes.taken(0, slope);
  return {form == AlibiForm::keys ? Reads::key : Reads::distance, false, slopes, std::move(m)};
}

}  // namespace posenc
