// resize.cc: a learned table of one size made from one of another.
#include <algorithm>

#include "base/check.h"
#include "orders/orders.h"
#include "posenc/absolute/resize.h"

namespace posenc {
namespace {

// Rows that sides have together, with those before the grid.
int64_t rows_of(const char* verb, const std::vector<int64_t>& sides, int64_t keep) {
  int64_t rows = 1;
  for (int64_t side : sides)
    if (side < 0 || __builtin_mul_overflow(rows, side, &rows))
      fail(verb, "expected sides of at least 0 that fit 64 bits together, got ", side);
  if (keep < 0 || __builtin_add_overflow(rows, keep, &rows))
    fail(verb, "expected keep of at least 0 that fits 64 bits, got ", keep);
  return rows;
}

GridSides check_sides(const char* verb, const std::vector<int64_t>& from,
                      const std::vector<int64_t>& to) {
  GridSides out;
  if (from.empty() || from.size() > std::size(out.from) || to.size() != from.size())
    fail(verb, "expected 1 to ", std::size(out.from), " sides, and as many new ones, got ",
         from.size(), " and ", to.size());
  out.count = static_cast<int>(from.size());
  std::copy(from.begin(), from.end(), out.from);
  std::copy(to.begin(), to.end(), out.to);
  return out;
}

void check_table(const char* verb, const char* what, const Tensor& t, int64_t rows, int64_t dim,
                 DType dtype) {
  if (t.rank != 2 || t.dtype != dtype || t.size(0) != rows || t.size(1) != dim)
    fail(ErrorKind::tensor, verb, "expected ", what, " as ", to_string(dtype), " [", rows, ", ",
         dim, "], got ", describe(t));
  check_rows(verb, what, t, dim);
}

}  // namespace

void resize(const Tensor& table, const Tensor& out, Resize how, int64_t keep, Stream stream) {
  if (table.rank != 2 || out.rank != 2 || table.dtype != out.dtype ||
      table.size(1) != out.size(1) || table.size(0) == 0)
    fail(ErrorKind::tensor, "resize",
         "expected [rows, dim] and [other rows, dim] of one type, got ", describe(table), " and ",
         describe(out));
  const int64_t most = std::min(table.size(0) - 1, out.size(0));
  if (keep < 0 || keep > most) fail("resize", "expected keep from 0 to ", most, ", got ", keep);
  check_rows("resize", "table", table, table.size(1));
  check_rows("resize", "out", out, table.size(1));
  check_output("resize", out);
  check_apart("resize", "out", out, "table", table);
  check_choices("resize", how, "the way");
  const GridSides sides{1, {table.size(0) - keep}, {out.size(0) - keep}};
  run(ResizeOrder{
      .in = table, .out = out, .sides = sides, .how = how, .keep = keep, .stream = stream});
}

void resize_grid(const Tensor& table, const Tensor& out, const std::vector<int64_t>& from,
                 const std::vector<int64_t>& to, Resize how, int64_t keep, Stream stream) {
  const char* verb = "resize_grid";
  const GridSides sides = check_sides(verb, from, to);
  if (table.rank != 2)
    fail(ErrorKind::tensor, verb, "expected a table [rows, dim], got ", describe(table));
  check_table(verb, "table", table, rows_of(verb, from, keep), table.size(1), table.dtype);
  check_table(verb, "out", out, rows_of(verb, to, keep), table.size(1), table.dtype);
  check_output(verb, out);
  check_apart(verb, "out", out, "table", table);
  check_choices(verb, how, "the way");
  if (std::find(from.begin(), from.end(), 0) != from.end())
    fail(verb, "expected sides of at least 1 to make others of, got 0");
  run(ResizeOrder{
      .in = table, .out = out, .sides = sides, .how = how, .keep = keep, .stream = stream});
}

void resize_grid_backward(const Tensor& dout, const Tensor& dtable,
                          const std::vector<int64_t>& from, const std::vector<int64_t>& to,
                          Resize how, int64_t keep, Stream stream) {
  const char* verb = "resize_grid_backward";
  const GridSides sides = check_sides(verb, from, to);
  if (dout.rank != 2)
    fail(ErrorKind::tensor, verb, "expected dout [rows, dim], got ", describe(dout));
  check_table(verb, "dout", dout, rows_of(verb, to, keep), dout.size(1), dout.dtype);
  check_table(verb, "dtable", dtable, rows_of(verb, from, keep), dout.size(1),
              compute_type(dout.dtype));
  check_output(verb, dtable);
  check_apart(verb, "dtable", dtable, "dout", dout);
  check_choices(verb, how, "the way");
  run(ResizeOrder{.in = dout,
                  .out = dtable,
                  .sides = sides,
                  .how = how,
                  .keep = keep,
                  .adjoint = true,
                  .stream = stream});
}

}  // namespace posenc
