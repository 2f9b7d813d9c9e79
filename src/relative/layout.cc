// layout.cc: buckets of distances in the text and on the page.
#include "posenc/relative/layout.h"

#include "relative/buckets.h"
#include "relative/formula.h"

namespace posenc {
namespace {

T5Bias text_of(const LayoutBias& s) { return {s.heads, s.buckets, s.max_distance}; }
T5Bias box_of(const LayoutBias& s) { return {s.heads, s.box_buckets, s.box_max_distance}; }

}  // namespace

Fields LayoutBias::fields() {
  using S = LayoutBias;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"buckets", &S::buckets, "rows of the table of distances in the text; 0: none"},
          {"max_distance", &S::max_distance, "tokens; from here on they share the last bucket"},
          {"box_buckets", &S::box_buckets, "rows of the tables of x and y"},
          {"box_max_distance", &S::box_max_distance, "the same for x and y, times box_scale"},
          {"box_scale", &S::box_scale, "on distances of x and y, before they are cut to whole"},
          {"scale", &S::scale, "on the sum of the tables (LayoutLMv3: 1/sqrt of the head size)"}};
}

std::vector<Preset<LayoutBias>> LayoutBias::presets() {
  return {{"layoutlmv3-bias", "LayoutLMv3 base", {}},
          {"udop",
           "UDOP",
           {.heads = 16, .box_buckets = 32, .box_max_distance = 100, .box_scale = 100}}};
}

void LayoutBias::check() const {
  check_size(name, "heads", heads);
  if (buckets != 0) check_buckets(name, "", text_of(*this));
  check_buckets(name, "box_", box_of(*this));
  check_positive(name, "box_scale", box_scale);
  if (box_scale > static_cast<double>(max_size))
    fail(name, "expected box_scale up to ", max_size, ", got ", box_scale);
  check_finite(name, "scale", scale);
}

std::vector<Weight> LayoutBias::weights() const {
  std::vector<Weight> out{{"x", {box_buckets, heads}, 0, 1}, {"y", {box_buckets, heads}, 0, 1}};
  if (buckets > 0) out.insert(out.begin(), {"table", {buckets, heads}, 0, 1});
  return out;
}

BiasFormula LayoutBias::formula(const WeightValues& weights) const {
  WeightValues block = weights;
  forms::LayoutTables form{};
  if (buckets > 0) form.text = append_buckets(text_of(*this), block);
  form.box = append_buckets(box_of(*this), block);
  form.heads = heads, form.x = buckets * heads, form.y = form.x + box_buckets * heads;
  form.box_scale = box_scale, form.scale = scale;
  return {Reads::both, box_scale == 1, form, std::move(block)};
}

}  // namespace posenc
