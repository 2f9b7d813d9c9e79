// table_formats.cc: tables as text.
#include "cli/tables/table_formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "cli/json.h"

namespace posenc::cli {
namespace {

// Calls f with every number of a row. Most readers of text take numbers for doubles, so the digits
// of a narrower type are those of its exact value as a double.
template <class F>
void for_each_number(const Array& rows, int64_t row, const F& f) {
  const int64_t dim = rows.shape[1];
  dispatch(rows.dtype, [&]<class T>() {
    const auto* values = reinterpret_cast<const T*>(rows.bytes.data()) + row * dim;
    for (int64_t c = 0; c < dim; ++c) f(as_double(values[c]));
  });
}

std::vector<std::string> coordinates(const PositionList& positions, int64_t token) {
  std::vector<std::string> out;
  for (int64_t a = 0; a < positions.axes; ++a) out.push_back(positions.text(a, token));
  return out;
}

std::string row_json(const Array& rows, int64_t row) {
  std::string out = "[";
  for_each_number(rows, row, [&](double value) {
    if (out.size() > 1) out += ", ";
    out += is_finite(value) ? text::write(value) : "null";
  });
  return out + "]";
}

std::string position_json(const PositionList& positions, int64_t token) {
  const std::string all = join(coordinates(positions, token), ", ");
  return positions.axes == 1 ? all : fmt::format("[{}]", all);
}

// Gathers lines, so that the sink gets them by the thousand.
struct Lines {
  const Sink& out;
  std::string kept{};

  explicit Lines(const Sink& sink) : out(sink) {}
  void add(const std::string& line) {
    if ((kept += line).size() >= (1 << 16)) flush();
  }
  void flush() {
    out(kept);
    kept.clear();
  }
};

// Writes line(i, rows, row) for each position i, whose numbers are that row of the rows.
template <class Line>
void write_lines(const Table& table, const Sink& out, const Line& line) {
  Lines lines(out);
  table.values.for_each_part([&](int64_t from, const Array& rows) {
    for (int64_t row = 0; row < rows.shape[0] && from + row < table.positions.count; ++row)
      lines.add(line(from + row, rows, row));
  });
  lines.flush();
}

std::string column_name(const Table& table, int64_t column) {
  return table.columns.empty() ? text::write(column) : table.columns[static_cast<size_t>(column)];
}

// What the place of a row is called, axis by axis.
std::vector<std::string> place_names(const Table& table) {
  std::vector<std::string> out = table.places;
  while (std::ssize(out) < table.positions.axes)
    out.push_back(fmt::format("{}_{}", out[0], out.size()));
  return out;
}

double largest(const Table& table) {
  double most = 0;
  table.values.for_each_part([&](int64_t from, const Array& rows) {
    for (int64_t row = 0; row < rows.shape[0] && from + row < table.positions.count; ++row)
      for_each_number(rows, row, [&](double value) { most = std::max(most, std::abs(value)); });
  });
  return most;
}

}  // namespace

Rows::Rows(Array all) : dtype(all.dtype), count(1), dim(all.shape.back()) {
  for (size_t i = 0; i + 1 < all.shape.size(); ++i) count *= all.shape[i];
  const int64_t bytes = dim * size_of(dtype);
  part = [all = std::move(all), width = dim, bytes](int64_t from, int64_t rows) {
    const auto* begin = all.bytes.data() + from * bytes;
    return Array{all.dtype, {rows, width}, Bytes(begin, begin + rows * bytes)};
  };
}

void Rows::for_each_part(const std::function<void(int64_t, const Array&)>& f) const {
  const int64_t most = std::max<int64_t>(1, (int64_t{1} << 20) / std::max<int64_t>(dim, 1));
  for (int64_t from = 0; from < count; from += most)
    f(from, part(from, std::min(most, count - from)));
}

std::vector<std::string> column_names(const Scheme& scheme, int64_t dim) {
  const auto rotary = as_family<Rotary>(scheme);
  std::vector<std::string> out;
  if (!rotary || dim == 0) return out;
  const int64_t pairs = std::visit([](const auto& s) { return s.pairs(); }, *rotary);
  const int64_t heads = dim / (2 * pairs);
  for (int64_t head = 0; head < heads; ++head)
    for (const char* wave : {"cos", "sin"})
      for (int64_t k = 0; k < pairs; ++k)
        out.push_back(heads == 1 ? fmt::format("{}_{}", wave, k)
                                 : fmt::format("head_{}_{}_{}", head, wave, k));
  return out;
}

void write_text(const Table& table, size_t width, const Sink& out) {
  const PositionList& positions = table.positions;
  const auto label = [&](int64_t token) {
    auto parts = coordinates(positions, token);
    for (size_t a = 0; parts.size() == table.places.size() && a < parts.size(); ++a)
      parts[a] = fmt::format("{:>{}}", parts[a], table.places[a].size());
    return join(parts, " ");
  };
  const std::string title = join(table.places, " ");
  size_t first = std::max<size_t>(title.size(), 8);
  for (int64_t i = 0; i < positions.count; ++i) first = std::max(first, label(i).size());
  const bool small = largest(table) < 100;
  size_t cell = small ? 11 : 14;
  for (const std::string& name : table.columns) cell = std::max(cell, name.size() + 2);
  const auto dim = static_cast<size_t>(table.values.dim);
  const size_t fitting = width > first ? std::max<size_t>((width - first) / cell, 1) : 1;
  const size_t shown = width == 0 ? dim : std::min(dim, fitting);
  std::string head = fmt::format("{:>{}}", title, first);
  for (size_t c = 0; c < shown; ++c)
    head += fmt::format("{:>{}}", column_name(table, static_cast<int64_t>(c)), cell);
  out(head + "\n");
  write_lines(table, out, [&](int64_t i, const Array& rows, int64_t row) {
    std::string line = fmt::format("{:>{}}", label(i), first);
    size_t c = 0;
    for_each_number(rows, row, [&](double value) {
      if (c++ >= shown) return;
      line += small ? fmt::format("{:>{}.6f}", value, cell) : fmt::format("{:>{}.6g}", value, cell);
    });
    return line + "\n";
  });
  if (shown < dim) out(fmt::format("columns 0 to {} of {}; --full shows all\n", shown - 1, dim));
}

void write_csv(const Table& table, const Sink& out) {
  std::string head = join(place_names(table), ",");
  for (int64_t c = 0; c < table.values.dim; ++c) head += fmt::format(",{}", column_name(table, c));
  out(head + "\n");
  write_lines(table, out, [&](int64_t i, const Array& rows, int64_t row) {
    std::string line = join(coordinates(table.positions, i), ",");
    for_each_number(rows, row, [&](double value) { line.append(",").append(text::write(value)); });
    return line + "\n";
  });
}

void write_json(const Table& table, const Sink& out) {
  const int64_t last = table.positions.count - 1;
  std::string more;
  for (const auto& [name, value] : table.factors)
    more += fmt::format(" \"{}\": {},", name, text::write(value));
  if (!table.initial_weights.empty())
    more += fmt::format(" \"initial_weights\": {},", table.initial_weights);
  if (!table.columns.empty())
    more += fmt::format(" \"columns\": {},", files::write_json(table.columns));
  out(fmt::format(
      "{{\"version\": 1, \"scheme\": {}, \"options\": {}, \"dtype\": \"{}\",{}\n \"{}\": [",
      files::write_json(table.scheme.name), to_json(table.scheme.options),
      to_string(table.values.dtype), more, table.rows_at));
  Lines lines(out);
  for (int64_t i = 0; i <= last; ++i)
    lines.add(position_json(table.positions, i).append(i < last ? ", " : ""));
  lines.add("],\n \"rows\": [\n");
  lines.flush();
  write_lines(table, out, [&](int64_t i, const Array& rows, int64_t row) {
    return fmt::format("  {}{}\n", row_json(rows, row), i < last ? "," : "");
  });
  out(" ]}\n");
}

}  // namespace posenc::cli
