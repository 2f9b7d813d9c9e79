// deberta.cc: buckets of distances.
#include "posenc/content/deberta.h"

#include <algorithm>
#include <cmath>

#include "base/natural.h"
#include "content/formula.h"

namespace posenc {

Fields Deberta::fields() {
  using S = Deberta;
  return {{"dim", &S::dim, "head size"},
          {"heads", &S::heads, "heads of the whole model"},
          {"buckets", &S::buckets, "position_buckets; 0: a row for each distance"},
          {"max_distance", &S::max_distance, "max_relative_positions"},
          {"c2p", &S::c2p, "queries meet position keys"},
          {"p2c", &S::p2c, "keys meet position queries"}};
}

std::vector<Preset<Deberta>> Deberta::presets() {
  return {{"v3-base", "DeBERTa v3 base: 256 buckets", {}},
          {"v2-xlarge", "DeBERTa v2 xlarge: 24 heads", {.heads = 24}},
          {"v1-base", "DeBERTa v1 base: no buckets", {.buckets = 0}}};
}

std::vector<Weight> Deberta::weights() const {
  std::vector<Weight> out;
  if (c2p) out.push_back({"position_keys", {heads, 2 * span(), dim}, 0, 0.02});
  if (p2c) out.push_back({"position_queries", {heads, 2 * span(), dim}, 0, 0.02});
  return out;
}

void Deberta::check() const {
  check_size(name, "dim", dim);
  check_size(name, "heads", heads);
  check_size(name, "max_distance", max_distance);
  if (buckets != 0 && (buckets < 4 || buckets > 4096 || buckets % 2 != 0))
    fail(name, "expected buckets from 4 to 4096, even, or 0, got ", buckets);
  if (buckets != 0 && max_distance - 1 <= buckets / 2)
    fail(name, "expected max_distance above ", buckets / 2 + 1, ", got ", max_distance);
  if (!c2p && !p2c) fail(name, "expected c2p or p2c, got neither");
}

// Beyond m = b/2, the least t with (d / m)^(m - 1) <= ((M - 1) / m)^t, plus m. Where t is not
// plain from a rounded logarithm it is found in whole numbers, as long as they are not enormous.
int64_t Deberta::bucket(int64_t d) const {
  const int64_t size = std::abs(d), m = buckets / 2, sign = d < 0 ? -1 : 1;
  if (buckets == 0 || size <= m) return d;
  const auto middle = static_cast<double>(m);
  const double t = std::log(static_cast<double>(size) / middle) /
                   std::log(static_cast<double>(max_distance - 1) / middle) * (middle - 1);
  const auto near = static_cast<int64_t>(std::nearbyint(t));
  if (std::abs(t - static_cast<double>(near)) > 1e-6 || near > 1 << 14)
    return sign * (static_cast<int64_t>(std::ceil(t)) + m);
  const bool reaches =
      Natural{{size, m - 1}, {m, near}} <= Natural{{max_distance - 1, near}, {m, m - 1}};
  return sign * ((reaches ? near : near + 1) + m);
}

int64_t Deberta::row(int64_t d) const {
  const int64_t near = std::clamp(d, -max_distance, max_distance);
  return std::clamp<int64_t>(bucket(near) + span(), 0, 2 * span() - 1);
}

double Deberta::scale() const { return 1 / std::sqrt(static_cast<double>(dim * (1 + c2p + p2c))); }

TermFormula Deberta::formula(const WeightLists&) const {
  LookupPart part{.dim = dim, .rows = 2 * span(), .row_step = dim};
  part.head_step = part.rows * dim;
  part.rule.distance = {.sign = -1, .low = -max_distance, .high = max_distance, .listed = true};
  TermFormula out;
  RowLookups form;
  for (const bool by_key : {false, true}) {
    if (by_key ? !p2c : !c2p) continue;
    part.by_key = by_key, part.weight = form.count;
    form.add(part);
  }
  out.form = form;
  for (int64_t d = -max_distance; d <= max_distance; ++d)
    out.rows.push_back(static_cast<int32_t>(row(d)));
  return out;
}

}  // namespace posenc
