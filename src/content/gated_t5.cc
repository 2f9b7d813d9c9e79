// gated_t5.cc: options and checks of a gated bias.
#include "posenc/content/gated_t5.h"

#include "content/formula.h"
#include "relative/buckets.h"

namespace posenc {
namespace {

// The row of each distance key - query from -max_distance to max_distance.
std::vector<int32_t> bucket_rows(const GatedT5& s) {
  const auto bounds = s.bias().bounds();
  const auto side = static_cast<int64_t>(bounds.size());
  std::vector<int32_t> out(static_cast<size_t>(2 * s.max_distance + 1));
  for (int64_t d = 0, bucket = 0; d <= s.max_distance; ++d) {
    while (bucket + 1 < side && bounds[static_cast<size_t>(bucket + 1)] <= d) ++bucket;
    out[static_cast<size_t>(s.max_distance + d)] =
        static_cast<int32_t>(bucket + (d > 0 ? side : 0));
    out[static_cast<size_t>(s.max_distance - d)] = static_cast<int32_t>(bucket);
  }
  return out;
}

}  // namespace

Fields GatedT5::fields() {
  using S = GatedT5;
  return {{"dim", &S::dim, "head size"},
          {"heads", &S::heads, "heads of the whole model"},
          {"buckets", &S::buckets, "rows of the table"},
          {"max_distance", &S::max_distance, "distances from here on share the last bucket"}};
}

std::vector<Preset<GatedT5>> GatedT5::presets() {
  return {{"wavlm-base", "WavLM base", {}}, {"wavlm-large", "WavLM large", {.heads = 16}}};
}

void GatedT5::check() const {
  check_size(name, "dim", dim);
  check_size(name, "max_distance", max_distance);
  check_size(name, "heads", heads);
  check_buckets(name, "", bias());
}

std::vector<Weight> GatedT5::weights() const {
  return {{"table", {buckets, heads}, 0, 1},
          {"gate_weight", {2 * gate_rows, dim}, 0, 0.02},
          {"gate_bias", {2 * gate_rows}, 0, 0},
          {"gate_scale", {heads}, 1, 0}};
}

// Gates are queries of one feature.
TermFormula GatedT5::formula(const WeightLists&) const {
  LookupPart part{.dim = 1, .rows = buckets, .head_step = 1, .row_step = heads, .weight = 0};
  part.rule.distance = {.low = -max_distance, .high = max_distance, .listed = true};
  RowLookups form;
  form.gate = 1;
  return {form.add(part), bucket_rows(*this)};
}

}  // namespace posenc
