// pictures.cc: numbers of an encoding arranged for the eye.
#include "cli/show/pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/memory.h"

namespace posenc::cli {
namespace {

// Positions as an axis: their values when they are evenly spaced, otherwise their numbers.
draw::Axis position_axis(const PositionList& positions) {
  const int64_t last = positions.count - 1;
  if (last == 0 || positions.axes > 1) return {"position (by its number)"};
  const double first = positions.value(0, 0), step = positions.value(0, 1) - first;
  for (int64_t i = 1; i <= last; ++i)
    if (std::abs(positions.value(0, i) - first - static_cast<double>(i) * step) >
        1e-6 * std::abs(step))
      return {"position (by its number)"};
  return {"position", first, positions.value(0, last)};
}

std::vector<double> table_of(const Ready& ready, const PositionList& positions) {
  check_fits("a picture", positions.count, ready.plan.dim(), 3 * sizeof(double));
  return as_doubles(fill_table(ready, positions, DType::f64));
}

double largest(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

draw::Heatmap make_map(const Ready& ready, std::string note, std::vector<double> values,
                       int64_t cols) {
  draw::Heatmap out;
  out.title = title_of(ready.scheme);
  out.note = std::move(note);
  out.rows = std::ssize(values) / cols, out.cols = cols;
  out.values = std::move(values);
  return out;
}

draw::Plot heatmap(const Ready& ready, const PositionList& positions) {
  auto out = make_map(ready, "each line is the row one position receives",
                      table_of(ready, positions), ready.plan.dim());
  out.x.label = as_family<Rotary>(ready.scheme) ? "column: cosines, then sines" : "column";
  out.y = position_axis(positions);
  const double most = largest(out.values);  // trained numbers are small: fit the colours to them
  out.high = posenc::weights(ready.scheme).empty() && most > 0.5 && most <= 1 ? 1 : most;
  out.low = -out.high;
  return out;
}

std::vector<int64_t> columns_to_draw(const std::vector<double>& wanted, int64_t dim) {
  std::vector<int64_t> out;
  for (const double c : wanted) {
    if (c < 0 || c >= static_cast<double>(dim) || c != std::floor(c))
      refuse("expected columns from 0 to ", dim - 1, ", got ", c);
    out.push_back(static_cast<int64_t>(c));
  }
  if (!wanted.empty()) return out;
  for (const int64_t c : {int64_t{0}, dim / 16, dim / 8, dim / 4, dim / 2})
    if (out.empty() || c > out.back()) out.push_back(c);
  return out;
}

draw::Plot waves(const Ready& ready, const PositionList& positions,
                 const std::vector<double>& columns) {
  const int64_t dim = ready.plan.dim();
  const auto chosen = columns_to_draw(columns, dim);
  const auto values = table_of(ready, positions);
  draw::Lines out{.title = title_of(ready.scheme),
                  .note = "columns of the table along the positions",
                  .x = {position_axis(positions).label},
                  .y = {"value"}};
  const bool by_number = out.x.label != "position";
  for (const int64_t c : chosen) {
    draw::Curve curve{fmt::format("column {}", c)};
    for (int64_t i = 0; i < positions.count; ++i) {
      curve.x.push_back(by_number ? static_cast<double>(i) : positions.value(0, i));
      curve.y.push_back(values[static_cast<size_t>(i * dim + c)]);
    }
    out.curves.push_back(std::move(curve));
  }
  return out;
}

// Divides every row by its length; a row of zeros becomes NaN.
void normalise(std::vector<double>& rows, size_t dim) {
  for (size_t at = 0; at < rows.size(); at += dim) {
    double sum = 0;
    for (size_t c = 0; c < dim; ++c) sum += rows[at + c] * rows[at + c];
    for (size_t c = 0; c < dim; ++c) rows[at + c] /= std::sqrt(sum);
  }
}

draw::Plot similarity(const Ready& ready, const PositionList& positions) {
  constexpr int64_t most = 2048;
  if (positions.count > most)
    refuse("expected at most ", most, " positions for a picture of similarity, got ",
           positions.count);
  const auto n = static_cast<size_t>(positions.count), dim = static_cast<size_t>(ready.plan.dim());
  auto rows = table_of(ready, positions);
  normalise(rows, dim);
  auto out = make_map(ready, "products of rows, divided by their lengths",
                      std::vector<double>(n * n), positions.count);
  out.x = out.y = position_axis(positions);
  out.square = true;
  out.low = out.high = 0;  // fitted to the data
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (size_t c = 0; c < dim; ++c) product += rows[i * dim + c] * rows[j * dim + c];
      out.values[i * n + j] = out.values[j * n + i] = product;
    }
  return out;
}

}  // namespace

std::string title_of(const Scheme& scheme) {
  const SchemeInfo now = info(scheme), usual = usual_info(now.name);
  std::vector<std::string> parts{now.name};
  for (size_t i = 0; i < now.options.size(); ++i) {
    const auto& [name, value] = std::tie(now.options[i].name, now.options[i].value);
    if (name != "layout" && (value != usual.options[i].value || name == "dim"))
      parts.push_back(name + " " + text::write(value));
  }
  return join(parts, ", ");
}

draw::Plot make_picture(const Ready& ready, const PositionList& positions, Kind kind,
                        const std::vector<double>& columns) {
  switch (kind) {
    case Kind::heatmap:
      return heatmap(ready, positions);
    case Kind::waves:
      return waves(ready, positions, columns);
    case Kind::similarity:
      return similarity(ready, positions);
    default:
      refuse("expected a ", kind >= Kind::curves ? "bias of scores" : "rotary scheme",
             " for a picture of ", enum_name(kind), ", got ", info(ready.scheme).name);
  }
}

}  // namespace posenc::cli
