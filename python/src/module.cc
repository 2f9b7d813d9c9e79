// module.cc: posenc._core, what the package's Python calls.
#include "plan.h"
#include "posenc/threads.h"

namespace nb = nanobind;
using namespace posenc;
using namespace posenc::python;

namespace {

// Errors of the library are ValueErrors with its sentence; what cannot be read is a TypeError.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const Interrupted&) {
    if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const std::bad_cast&) {
    PyErr_SetString(PyExc_TypeError, "[arguments] expected numbers and words, got something else");
  }
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // PyTorch keeps ops, and what they use, to the very end
  read_numpy();
  nb::register_exception_translator(translate);
  m.attr("version") = POSENC_VERSION;
  m.def("threads", &threads, "The most threads a call may use.");
  m.def(
      "set_threads", [](Argument<int, "count"> count) { set_threads(count); }, arg("count"));
  bind_schemes(m);
  PlanClass plan = bind_plans(m);
  bind_absolute(m, plan);
  bind_rotary(m, plan);
  bind_rotate_into(m, plan);
  bind_biases(m, plan);
  bind_content(plan);
  bind_attend(m, plan);
  bind_layouts(m);
  bind_positions(m);
  bind_models(m);
  bind_graphs(m);
  bind_graph_biases(m);
  bind_convolutions(m);
  bind_device_weights(m, plan);
  bind_shift(m);
}
