// rotary_pictures.cc: frequencies and scores as curves.
#include "rotary_pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "memory.h"

namespace posenc::cli {
namespace {

const Rope& rope_of(const Variant& variant) { return std::get<Rope>(variant.ready.scheme); }

// Radians per position of each pair; over all axes where they are learned.
std::vector<double> rates_of(const Variant& variant) {
  const RotaryPlan plan = *turning_plan(variant.ready);
  std::vector<double> out;
  for (const Frequency& f : plan.frequencies()) out.push_back(radians(f));
  if (!out.empty() || variant.ready.weights.empty()) return out;
  const auto learned = as_doubles(variant.ready.weights[0]);
  const auto axes = static_cast<size_t>(plan.axes());
  for (size_t at = 0; at < learned.size(); at += axes) {
    double sum = 0;
    for (size_t a = 0; a < axes; ++a) sum += learned[at + a] * learned[at + a];
    out.push_back(std::sqrt(sum));
  }
  return out;
}

draw::Lines lines_of(const std::vector<Variant>& variants, std::string note, std::string x,
                     draw::Axis y) {
  return {.title = variants.size() == 1 ? title_of(variants[0].ready.scheme)
                                        : "rope: variants over each other",
          .note = std::move(note),
          .x = {std::move(x)},
          .y = std::move(y)};
}

// One curve for each axis, whose pairs have frequencies of their own.
std::vector<draw::Curve> curves_by_axis(const Variant& variant, const std::vector<double>& values) {
  const auto pairs = turning_plan(variant.ready)->pairs();
  const auto axes = static_cast<size_t>(rope_of(variant).axis_count());
  const bool split = axes > 1 && pairs.size() == values.size();
  std::vector<draw::Curve> out(split ? axes : 1);
  for (size_t a = 0; a < out.size(); ++a) {
    out[a].label = variant.label;
    if (split) out[a].label += fmt::format("{}axis {}", variant.label.empty() ? "" : " ", a);
  }
  for (size_t k = 0; k < values.size(); ++k) {
    auto& curve = out[split ? static_cast<size_t>(pairs[k].axis) : 0];
    curve.x.push_back(static_cast<double>(k)), curve.y.push_back(values[k]);
  }
  return out;
}

// q . k / dim for ones at every distance; no score has a factor that grows with the position.
std::vector<double> scores(const Variant& variant, const PositionList& distances) {
  const Rope& rope = rope_of(variant);
  const RotaryPlan plan = *turning_plan(variant.ready);
  const auto* learned = std::get_if<LearnedFrequencies>(&rope.frequencies);
  const int64_t heads =
      learned ? learned->heads : std::max<int64_t>(rope.rotary_heads.value_or(1), 1);
  check_fits("queries", distances.count, heads * rope.dim, sizeof(double));
  const auto ones = [&](int64_t tokens) {
    Array out = make_array(DType::f64, {tokens, heads, rope.dim});
    for (double& value : out.values<double>()) value = 1;
    return out;
  };
  const Array q = ones(distances.count), k = ones(1);
  typed([&] {
    rotate(plan, {q.view(), {}}, distances.at(0, distances.count));
    rotate(plan, {{}, k.view()});
  });
  const auto queries = as_doubles(q), key = as_doubles(k);
  std::vector<double> out(static_cast<size_t>(distances.count));
  for (size_t i = 0; i < queries.size(); ++i)
    out[i / key.size()] += queries[i] * key[i % key.size()] / static_cast<double>(key.size());
  return out;
}

}  // namespace

draw::Plot draw_wavelengths(const std::vector<Variant>& variants) {
  auto out = lines_of(variants, "how many positions one full turn takes", "pair",
                      {"wavelength", 0, 0, true});
  out.dots = true;
  for (const Variant& variant : variants) {
    auto values = rates_of(variant);
    out.joined = out.joined && values.size() <= 64 && rope_of(variant).axis_count() == 1;
    for (double& value : values) value = value == 0 ? NAN : 2 * std::numbers::pi / std::abs(value);
    for (auto& curve : curves_by_axis(variant, values)) out.curves.push_back(std::move(curve));
  }
  const auto length = static_cast<double>(variants[0].ready.length);
  draw::Curve text{fmt::format("the text: {}", length)};
  for (int64_t k = 0; length > 0 && k < rope_of(variants[0]).pairs(); ++k)
    text.x.push_back(static_cast<double>(k)), text.y.push_back(length);
  if (length > 0) out.curves.push_back(std::move(text));
  return out;
}

draw::Plot draw_decay(const std::vector<Variant>& variants, const PositionList& distances) {
  auto out = lines_of(variants, "q . k / dim of a query and a key of ones, by their distance",
                      "distance", {"score"});
  for (const Variant& variant : variants) {
    draw::Curve curve{variant.label};
    curve.y = scores(variant, distances);
    for (int64_t i = 0; i < distances.count; ++i) curve.x.push_back(distances.value(0, i));
    out.curves.push_back(std::move(curve));
  }
  return out;
}

draw::Plot draw_rules(const std::vector<Variant>& variants) {
  auto out = lines_of(variants, "frequency of each pair, divided by that without a length rule",
                      "pair", {"of the unscaled frequency"});
  for (const Variant& variant : variants) {
    Rope plain = rope_of(variant);
    plain.scaling = NoScaling{};
    auto values = rates_of(variant);
    const auto unscaled = rates_of({"", make_ready(plain, {})});
    for (size_t k = 0; k < values.size(); ++k) values[k] /= unscaled[k];
    auto curves = curves_by_axis(variant, values);
    out.dots = out.dots || curves.size() > 1;
    for (auto& curve : curves) out.curves.push_back(std::move(curve));
  }
  return out;
}

}  // namespace posenc::cli
