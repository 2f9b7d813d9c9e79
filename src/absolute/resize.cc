// resize.cc: a learned table of one length made from one of another.
#include <algorithm>

#include "base/check.h"
#include "orders.h"

namespace posenc {

void resize(const Tensor& table, const Tensor& out, Resize how, int64_t keep, Stream stream) {
  if (table.rank != 2 || out.rank != 2 || table.dtype != out.dtype ||
      table.size(1) != out.size(1) || table.size(0) == 0)
    fail(ErrorKind::tensor, "resize",
         "expected [rows, dim] and [other rows, dim] of one type, got ", describe(table), " and ",
         describe(out));
  check_rows("resize", "table", table, table.size(1));
  check_rows("resize", "out", out, table.size(1));
  check_output("resize", out);
  const int64_t most = std::min(table.size(0) - 1, out.size(0));
  if (keep < 0 || keep > most) fail("resize", "expected keep from 0 to ", most, ", got ", keep);
  check_apart("resize", "out", out, "table", table);
  check_choices("resize", how, "the way");
  run(ResizeOrder{.table = table, .out = out, .how = how, .keep = keep, .stream = stream});
}

}  // namespace posenc
