// arguments.cc: numbers, words and flags of Python.
#include "arguments.h"

namespace posenc::python {
namespace {

Read of_64_bits(PyObject* number, int64_t& out) noexcept {
  int beyond = 0;
  out = PyLong_AsLongLongAndOverflow(number, &beyond);
  return beyond ? Read::beyond : Read::fine;
}

[[noreturn]] void refuse_argument(const char* name, const char* expected, nb::handle object) {
  refuse("[" + std::string(name) + "] expected " + expected + ", got " + named_type(object));
}

}  // namespace

Read read(nb::handle object, int64_t& out) noexcept {
  if (PyLong_Check(object.ptr())) return of_64_bits(object.ptr(), out);
  if (!PyIndex_Check(object.ptr())) return Read::wrong;
  PyObject* number = PyNumber_Index(object.ptr());
  if (!number) return PyErr_Clear(), Read::wrong;
  const Read found = of_64_bits(number, out);
  Py_DECREF(number);
  return found;
}

Read read(nb::handle object, double& out) noexcept {
  out = PyFloat_AsDouble(object.ptr());
  if (out != -1 || !PyErr_Occurred()) return Read::fine;
  PyErr_Clear();
  return Read::wrong;
}

Read read(nb::handle object, bool& out) noexcept {
  if (!PyBool_Check(object.ptr())) {
    const std::string type = named_type(object);  // NumPy 1 says numpy.bool_
    if (type != "numpy.bool" && type != "numpy.bool_") return Read::wrong;
  }
  out = PyObject_IsTrue(object.ptr()) == 1;
  return Read::fine;
}

Read read(nb::handle object, std::string_view& out) noexcept {
  if (!PyUnicode_Check(object.ptr())) return Read::wrong;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (!text) return PyErr_Clear(), Read::wrong;
  out = {text, static_cast<size_t>(size)};
  return Read::fine;
}

void refuse_whole(const char* name, Read why, nb::handle object) {
  if (why == Read::beyond) fail(name, "expected a number of 64 bits, got one beyond them");
  refuse_argument(name, "a whole number", object);
}
void refuse_number(const char* name, nb::handle object) {
  refuse_argument(name, "a number", object);
}
void refuse_flag(const char* name, nb::handle object) {
  refuse_argument(name, "True or False", object);
}
void refuse_word(const char* name, nb::handle object) { refuse_argument(name, "a word", object); }

}  // namespace posenc::python
