// where.cc: positions as Python says them.
#define NO_IMPORT_ARRAY
#include "given.h"
#include "numpy.h"

namespace posenc::python {
namespace {

// The number itself, for positions from there on.
int64_t first_of(nb::handle number) {
  int beyond = 0;
  const long long first = PyLong_AsLongLongAndOverflow(number.ptr(), &beyond);
  if (beyond) fail("positions", "expected a number of 64 bits, got one beyond them");
  if (first == -1 && PyErr_Occurred()) throw nb::python_error();
  return first;
}

// Lists and the like as an array, and whole numbers of any type as i64.
nb::object array_of_ids(nb::handle at) {
  nb::object out = PyArray_Check(at.ptr()) ? nb::borrow(at) : nb::steal(PyArray_FROM_O(at.ptr()));
  if (!out.is_valid()) throw nb::python_error();
  auto* array = reinterpret_cast<PyArrayObject*>(out.ptr());
  const int type = PyArray_TYPE(array);
  if (!PyArray_ISINTEGER(array) || type == NPY_INT32 || type == NPY_INT64) return out;
  return nb::steal(PyArray_Cast(array, NPY_INT64));
}

bool is_whole_number(nb::handle array) {
  auto* numbers = reinterpret_cast<PyArrayObject*>(array.ptr());
  return PyArray_NDIM(numbers) == 0 && PyArray_ISINTEGER(numbers);
}

}  // namespace

Where::Where(nb::handle at) {
  if (at.is_none()) return;
  if (PyLong_CheckExact(at.ptr())) {
    positions_ = range(first_of(at));
    return;
  }
  if (PyArray_Check(at.ptr()) || !nb::hasattr(at, "__dlpack__")) {
    at = made_ = array_of_ids(at);
    if (is_whole_number(at)) {
      positions_ = range(first_of(nb::steal(PyNumber_Index(at.ptr()))));
      return;
    }
  }
  ids_ = given(at);
  positions_ = posenc::positions(ids_.tensor);
}

}  // namespace posenc::python
