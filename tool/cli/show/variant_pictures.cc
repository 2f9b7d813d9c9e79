// variant_pictures.cc: frequencies, scores and columns as curves.
#include "cli/show/variant_pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/memory.h"
#include "cli/schemes/rates.h"

namespace posenc::cli {
namespace {

// "rope: variants over each other", or one scheme with its options.
std::string title_over(const std::vector<Variant>& variants) {
  if (variants.size() == 1) return title_of(variants[0].ready.scheme);
  const auto name = [](const Variant& v) { return alternative_name(v.ready.scheme); };
  const bool same = std::all_of(variants.begin(), variants.end(),
                                [&](const Variant& v) { return name(v) == name(variants[0]); });
  return same ? fmt::format("{}: variants over each other", name(variants[0]))
              : "schemes over each other";
}

draw::Lines lines_of(const std::vector<Variant>& variants, std::string note, std::string x,
                     draw::Axis y) {
  return {.title = title_over(variants),
          .note = std::move(note),
          .x = {std::move(x)},
          .y = std::move(y)};
}

// One curve for each axis, whose pairs have frequencies of their own.
template <class Value>
std::vector<draw::Curve> curves_by_axis(const Variant& variant, const std::vector<Rate>& rates,
                                        const Value& value) {
  int64_t axes = 1, each = 1;
  for (const Rate& rate : rates)
    axes = std::max(axes, rate.axis + 1), each = std::max(each, rate.index + 1);
  std::vector<draw::Curve> out(static_cast<size_t>(axes));
  for (size_t a = 0; a < out.size(); ++a) {
    out[a].label = variant.label;
    if (axes > 1) out[a].label += fmt::format("{}axis {}", variant.label.empty() ? "" : " ", a);
  }
  for (const Rate& rate : rates) {
    auto& curve = out[static_cast<size_t>(rate.axis)];
    curve.x.push_back(static_cast<double>(rate.head * each + rate.index));
    curve.y.push_back(value(rate));
  }
  return out;
}

// q . k / dim for ones at every distance; no score has a factor that grows with the position.
std::vector<double> scores(const Variant& variant, const PositionList& distances) {
  const Rope& rope = std::get<Rope>(variant.ready.scheme);
  const RotaryPlan plan = *turning_plan(variant.ready);
  const int64_t heads = std::max({rope.row_heads(), rope.rotary_heads.value_or(1), int64_t{1}});
  check_fits("queries", distances.count, heads * rope.dim, sizeof(double));
  const auto ones = [&](int64_t tokens) {
    Array out = make_array(DType::f64, {tokens, heads, rope.dim});
    for (double& value : out.values<double>()) value = 1;
    return out;
  };
  const Array q = ones(distances.count), k = ones(1);
  as_usage_error([&] {
    rotate(plan, {q.view(), {}}, distances.at(0, distances.count));
    rotate(plan, {{}, k.view()});
  });
  const auto queries = as_doubles(q), key = as_doubles(k);
  std::vector<double> out(static_cast<size_t>(distances.count));
  for (size_t i = 0; i < queries.size(); ++i)
    out[i / key.size()] += queries[i] * key[i % key.size()] / static_cast<double>(key.size());
  return out;
}

// Products of each row with the first, divided by their lengths; NaN for a row of zeros.
std::vector<double> products(const Variant& variant, const PositionList& positions) {
  const auto rows = as_doubles(fill_table(variant.ready, positions, DType::f64));
  const auto dim = static_cast<size_t>(variant.ready.plan.dim());
  const auto product = [&](size_t i, size_t j) {
    double sum = 0;
    for (size_t c = 0; c < dim; ++c) sum += rows[i * dim + c] * rows[j * dim + c];
    return sum;
  };
  std::vector<double> out;
  for (size_t i = 0; i < static_cast<size_t>(positions.count); ++i)
    out.push_back(product(0, i) / std::sqrt(product(0, 0) * product(i, i)));
  return out;
}

}  // namespace

draw::Plot draw_wavelengths(const std::vector<Variant>& variants) {
  auto out = lines_of(variants, "positions of a full turn",
                      std::string(rates_of(variants[0].ready).unit), {"wavelength", 0, 0, true});
  out.dots = true;
  int64_t last = 0;
  for (const Variant& variant : variants) {
    const auto rates = merged(rates_of(variant.ready).list);
    auto curves = curves_by_axis(variant, rates, [](const Rate& rate) {
      return rate.frequency == 0 ? NAN : rate.wavelength();
    });
    out.joined = out.joined && rates.size() <= 64 && curves.size() == 1;
    last = std::max<int64_t>(last, std::ssize(rates) - 1);
    for (auto& curve : curves) out.curves.push_back(std::move(curve));
  }
  const auto length = static_cast<double>(variants[0].ready.length);
  draw::Curve text{fmt::format("the text: {}", length)};
  for (int64_t k = 0; length > 0 && k <= last; ++k)
    text.x.push_back(static_cast<double>(k)), text.y.push_back(length);
  if (length > 0) out.curves.push_back(std::move(text));
  return out;
}

draw::Plot draw_decay(const std::vector<Variant>& variants, const PositionList& distances) {
  const bool turns = as_family<Rotary>(variants[0].ready.scheme).has_value();
  auto out = lines_of(variants,
                      turns ? "q . k / dim of a query and a key of ones, by their distance"
                            : "product of a row with the first, divided by their lengths",
                      "distance", {turns ? "score" : "product"});
  const double first = turns ? 0 : distances.value(0, 0);
  for (const Variant& variant : variants) {
    draw::Curve curve{variant.label};
    curve.y = turns ? scores(variant, distances) : products(variant, distances);
    for (int64_t i = 0; i < distances.count; ++i) curve.x.push_back(distances.value(0, i) - first);
    out.curves.push_back(std::move(curve));
  }
  return out;
}

draw::Plot draw_rules(const std::vector<Variant>& variants) {
  auto out = lines_of(variants, "frequency of each pair, divided by that without a length rule",
                      "pair", {"of the unscaled frequency"});
  for (const Variant& variant : variants) {
    auto curves = curves_by_axis(variant, merged(rates_of(variant.ready).list),
                                 [](const Rate& rate) { return rate.frequency / rate.unscaled; });
    out.dots = out.dots || curves.size() > 1;
    for (auto& curve : curves) out.curves.push_back(std::move(curve));
  }
  return out;
}

draw::Plot draw_waves(const std::vector<Variant>& variants, const PositionList& positions,
                      std::vector<double> columns) {
  if (columns.empty()) columns = {static_cast<double>(variants[0].ready.plan.dim() / 8)};
  draw::Lines out;
  for (const Variant& variant : variants) {
    auto plot = make_picture(variant.ready, positions, Kind::waves, columns);
    auto& lines = std::get<draw::Lines>(plot);
    for (auto& curve : lines.curves) curve.label = variant.label + " " + curve.label;
    lines.curves.insert(lines.curves.begin(), out.curves.begin(), out.curves.end());
    out = std::move(lines);
  }
  out.title = title_over(variants);
  return out;
}

}  // namespace posenc::cli
