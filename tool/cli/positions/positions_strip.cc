// positions_strip.cc: a strip of cells, one for each token, with its positions below.
#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "cli/positions/positions_plan.h"
#include "draw/screen.h"

namespace posenc::cli {
namespace {

struct Sizes {
  int64_t axes, rows, tokens;
};
Sizes sizes(const PositionPlan& plan) {
  return std::visit([](const auto& p) { return Sizes{p.axes, p.rows, p.tokens}; }, plan.positions);
}

std::string number(const PositionPlan& plan, int64_t axis, int64_t row, int64_t token) {
  if (const auto* whole = std::get_if<PlannedPositions>(&plan.positions))
    return fmt::format("{}", whole->at(axis, row, token));
  return fmt::format("{:.3f}", std::get<PlannedCoordinates>(plan.positions).at(axis, row, token));
}

// The part of each token of a row.
std::vector<const TokenRun*> parts_of(const PositionPlan& plan, int64_t row) {
  std::vector<const TokenRun*> out;
  for (const TokenRun& part : plan.parts[static_cast<size_t>(row)])
    out.insert(out.end(), static_cast<size_t>(part.tokens), &part);
  return out;
}

struct Layout {
  int64_t label = 0, cell = 0;   // widths
  int64_t per_line = 1;          // tokens
  int64_t rows = 1, blocks = 1;  // what is shown
};

// What stands before the numbers of a row.
const std::vector<std::string>& labels(const PositionPlan& plan) {
  return plan.rows.size() > 1 ? plan.rows : plan.axes;
}
int64_t label_width(const PositionPlan& plan) {
  size_t width = 5;  // "token"
  for (const auto& name : labels(plan)) width = std::max(width, name.size());
  return static_cast<int64_t>(width);
}

// The widest number of the first `tokens` of the first rows, and of their indices.
int64_t cell_width(const PositionPlan& plan, const Sizes& all, int64_t rows, int64_t tokens) {
  size_t width = std::max<size_t>(2, fmt::format("{}", tokens - 1).size());
  for (int64_t a = 0; a < all.axes; ++a)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t t = 0; t < tokens; ++t) width = std::max(width, number(plan, a, r, t).size());
  return static_cast<int64_t>(width) + 1;
}

// As many rows as the lines hold, then as many blocks of those rows.
Layout lay_out(const PositionPlan& plan, int columns, int lines) {
  const Sizes all = sizes(plan);
  const int64_t height = 1 + all.axes;  // of a row: cells, then a line for each axis
  const int64_t room = lines > 0 ? lines : INT64_MAX;
  Layout out{.label = label_width(plan)};
  out.rows = std::clamp<int64_t>((room - 2) / height, 1, all.rows);
  const int64_t most = std::max<int64_t>(room / (out.rows * height + 2), 1);
  const int64_t dense = (columns - out.label) / 3;  // tokens of a line with the narrowest cells
  const int64_t reach = all.tokens / dense < most ? all.tokens : most * dense;
  out.cell = cell_width(plan, all, out.rows, reach);
  out.per_line = std::max<int64_t>((columns - out.label) / out.cell, 1);
  out.blocks = std::min((all.tokens + out.per_line - 1) / out.per_line, most);
  return out;
}

std::string cell_text(const Layout& layout, const std::string& text) {
  return fmt::format("{:>{}}", text, layout.cell);
}

std::string heading(const Layout& layout, int64_t from, int64_t to) {
  std::string out = fmt::format("{:<{}}", "token", layout.label);
  for (int64_t t = from; t < to; ++t) out += cell_text(layout, fmt::format("{}", t));
  return out + "\n";
}

using Parts = std::span<const TokenRun* const>;
std::string cells(const Layout& layout, Parts parts, draw::Colour colour) {
  std::string out(static_cast<size_t>(layout.label), ' ');
  for (const TokenRun* part : parts)
    out += fmt::format(" {}{}{:>{}}{}", draw::background(colour, draw::curve_colour(part->colour)),
                       draw::foreground(colour, draw::white), part->mark, layout.cell - 1,
                       draw::plain(colour));
  return out + "\n";
}

std::string line(const PositionPlan& plan, const Layout& layout, int64_t axis, int64_t row,
                 int64_t from, int64_t to) {
  const auto& name = labels(plan)[static_cast<size_t>(plan.rows.size() > 1 ? row : axis)];
  std::string out = fmt::format("{:<{}}", name, layout.label);
  for (int64_t t = from; t < to; ++t) out += cell_text(layout, number(plan, axis, row, t));
  return out + "\n";
}

// The cells and numbers of a row, from one token to before another.
std::string row_text(const PositionPlan& plan, const Layout& layout, int64_t row, Parts parts,
                     int64_t from, draw::Colour colour) {
  const int64_t to = from + std::ssize(parts);
  std::string out = cells(layout, parts, colour);
  for (int64_t axis = 0; axis < sizes(plan).axes; ++axis)
    out += line(plan, layout, axis, row, from, to);
  return out;
}

}  // namespace

std::string strip(const PositionPlan& plan, int columns, int lines, draw::Colour colour) {
  const Sizes all = sizes(plan);
  if (all.rows == 0 || all.tokens == 0) return "no tokens\n";
  const Layout layout = lay_out(plan, columns, lines);
  std::vector<std::vector<const TokenRun*>> parts;
  for (int64_t row = 0; row < layout.rows; ++row) parts.push_back(parts_of(plan, row));
  std::string out;
  for (int64_t b = 0; b < layout.blocks; ++b) {
    const int64_t from = b * layout.per_line, to = std::min(from + layout.per_line, all.tokens);
    if (b > 0) out += "\n";
    out += heading(layout, from, to);
    for (int64_t row = 0; row < layout.rows; ++row) {
      const Parts own(parts[static_cast<size_t>(row)]);
      const auto here = own.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from));
      out += row_text(plan, layout, row, here, from, colour);
    }
  }
  const int64_t shown = std::min(layout.blocks * layout.per_line, all.tokens);
  if (shown < all.tokens || layout.rows < all.rows)
    out += fmt::format("{} of {} tokens in {} of {} rows; --full shows all\n", shown, all.tokens,
                       layout.rows, all.rows);
  return out;
}

}  // namespace posenc::cli
