// polar.cc: features as lengths of pairs, and the gradient.
#include "base/check.h"
#include "base/overlap.h"
#include "orders/orders.h"
#include "posenc/rotary/verbs.h"

namespace posenc {
namespace {

// pairs [..., 2 n] of the type of x [..., n].
void check_polar(const char* verb, const Tensor& x, const char* name, const Tensor& pairs,
                 Layout layout) {
  check_choices(verb, layout, "the layout");
  if (layout == Layout::interleaved_in_half_out)
    fail(verb, "expected layout half or interleaved, got ", enum_name(layout));
  if (x.rank < 1 || !is_float(x.dtype))
    fail(ErrorKind::tensor, verb, "expected x as f32, f64, f16 or bf16 [..., features], got ",
         describe(x));
  check_memory(verb, "x", x);
  Tensor wanted = x;
  wanted.shape[static_cast<size_t>(x.rank) - 1] *= 2;
  if (pairs.rank != x.rank || pairs.dtype != x.dtype || !same_shape(pairs, wanted))
    fail(ErrorKind::tensor, verb, "expected ", name, " like x ", describe(x),
         " with twice as many features, got ", describe(pairs));
  check_memory(verb, name, pairs);
}

}  // namespace

void to_polar(const Tensor& x, const Tensor& out, Layout layout, Stream stream) {
  check_polar("to_polar", x, "out", out, layout);
  check_output("to_polar", out);
  check_apart("to_polar", "out", out, "x", x);
  run(PolarOrder{x, out, {}, layout, stream});
}

void to_polar_backward(const Tensor& x, const Tensor& dout, const Tensor& dx, Layout layout,
                       Stream stream) {
  constexpr const char* verb = "to_polar_backward";
  check_polar(verb, x, "dout", dout, layout);
  check_same(verb, "dx", dx, x);
  check_output(verb, dx);
  check_apart(verb, "dx", dx, "dout", dout);
  if (!same_view(x, dx)) check_apart(verb, "dx", dx, "x", x);
  run(PolarOrder{x, dout, dx, layout, stream});
}

}  // namespace posenc
