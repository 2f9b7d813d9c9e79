// shift.cc: M_k, the matrix that moves a sinusoidal encoding by k positions.
#include "posenc/shift.h"

#include "plan.h"

namespace posenc::python {
namespace {

Shift shift_of(const Scheme& scheme, Whole<"k"> k) {
  const auto* sinusoidal = std::get_if<Sinusoidal>(&scheme);
  if (!sinusoidal)
    fail("shift", "expected a sinusoidal scheme, got ", info(scheme).name,
         ", which no matrix moves");
  return shift(*sinusoidal, k);
}

void apply_to(const Shift& shift, nb::handle rows, nb::handle out) {
  const Given in = output(rows), to = output(out);
  work(in.tensor, [&] { shift.apply(in.tensor, to.tensor); });
}

}  // namespace

void bind_shift(nb::module_& m) {
  nb::class_<Shift>(m, "Shift", "The matrix that moves a sinusoidal encoding.")
      .def_prop_ro("dim", &Shift::dim)
      .def("matrix", &Shift::matrix)
      .def("apply", apply_to, arg("rows"), arg("out"))
      .def("inverse", &Shift::inverse)
      .def("__matmul__", [](const Shift& a, const Shift& b) { return a * b; });
  m.def("shift", shift_of, arg("scheme"), arg("k"));
}

}  // namespace posenc::python
