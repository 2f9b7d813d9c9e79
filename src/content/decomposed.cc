// decomposed.cc: which rows of two tables the cells of grids read.
#include "posenc/content/decomposed.h"

#include <algorithm>
#include <array>

#include "content/formula.h"

namespace posenc {
namespace {

// A side, the rows of its table, and how many it was trained with.
struct TableSide {
  GridRows cells;
  int64_t rows, trained;
};

// Height and width.
std::array<TableSide, 2> sides_of(const Decomposed& s) {
  const auto or_else = [](int64_t given, int64_t other) { return given > 0 ? given : other; };
  const int64_t kh = or_else(s.key_height, s.height), kw = or_else(s.key_width, s.width);
  const auto side = [&](int64_t query, int64_t key, int64_t table, int64_t query_step,
                        int64_t key_step) {
    const int64_t longer = std::max(query, key);
    const GridRows cells{s.height * s.width, kh * kw, query_step, query, key_step, key};
    return TableSide{cells, 2 * longer - 1, 2 * or_else(table, longer) - 1};
  };
  return {side(s.height, kh, s.table_height, s.width, kw), side(s.width, kw, s.table_width, 1, 1)};
}

}  // namespace

Fields Decomposed::fields() {
  using S = Decomposed;
  return {{"dim", &S::dim, "head size"},
          {"height", &S::height, "rows of the queries' grid"},
          {"width", &S::width, "queries in a row"},
          {"key_height", &S::key_height, "rows of the keys' grid; 0: as the queries'"},
          {"key_width", &S::key_width, "keys in a row; 0: as queries"},
          {"table_height", &S::table_height, "rows that table_h was trained for; 0: as there are"},
          {"table_width", &S::table_width, "columns that table_w was trained for; 0: alike"}};
}

std::vector<Preset<Decomposed>> Decomposed::presets() {
  return {{"sam-global",
           "SAM base and large: layers that see all of 64 x 64",
           {.height = 64, .width = 64}},
          {"sam-window", "SAM base and large: windows of 14 x 14", {}},
          {"mvitv2",
           "MViTv2, first stage: keys pooled by 4",
           {.dim = 96, .height = 56, .width = 56, .key_height = 14, .key_width = 14}}};
}

void Decomposed::check() const {
  check_size(name, "dim", dim);
  check_size(name, "height", height);
  check_size(name, "width", width);
  for (const int64_t side : {key_height, key_width, table_height, table_width})
    if (side < 0 || side > max_size)
      fail(name, "expected sides of keys and tables from 0 to ", max_size, ", got ", side);
}

std::vector<Weight> Decomposed::weights() const {
  const auto [h, w] = sides_of(*this);
  return {{"table_h", {h.trained, dim}, 0, 0.02}, {"table_w", {w.trained, dim}, 0, 0.02}};
}

int64_t Decomposed::row(int64_t query, int64_t key, int64_t query_side, int64_t key_side) {
  return GridRows{query_side, key_side, 1, query_side, 1, key_side}.row(query, key);
}

TermFormula Decomposed::formula(const WeightLists&) const {
  RowLookups form;
  for (const TableSide& side : sides_of(*this)) {
    LookupPart part{.dim = dim, .rows = side.rows, .row_step = dim, .weight = form.count};
    part.rule.kind = RowKind::grid, part.rule.grid = side.cells;
    if (side.trained != side.rows) part.trained = side.trained;
    form.add(part);
  }
  return {form};
}

}  // namespace posenc
