// given.cc: arrays of NumPy as they lie, and tensors of others.
#include "given.h"

#include "dlpack.h"
#include "numpy.h"

namespace posenc::python {
namespace {

bool is_bfloat16(const PyArray_Descr* dtype) {
  static const PyTypeObject* known = nullptr;  // of ml_dtypes, once met
  if (dtype->typeobj == known) return true;
  const std::string name = type_name(dtype->typeobj);
  if (name != "bfloat16" && !name.ends_with(".bfloat16")) return false;
  known = dtype->typeobj;
  return true;
}

DType dtype_of_numpy(PyArrayObject* array) {
  switch (PyArray_TYPE(array)) {
    case NPY_FLOAT:
      return DType::f32;
    case NPY_DOUBLE:
      return DType::f64;
    case NPY_HALF:
      return DType::f16;
    case NPY_INT:
      return DType::i32;
    case NPY_LONG:
      return sizeof(long) == 8 ? DType::i64 : DType::i32;
    case NPY_LONGLONG:
      return DType::i64;
    default:
      break;
  }
  if (is_bfloat16(PyArray_DESCR(array))) return DType::bf16;
  const nb::str name(nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(array))));
  refuse(std::string("[tensor] expected f32, f64, f16, bf16, i32 or i64, got an array of ") +
         name.c_str());
}

Tensor tensor_of_numpy(PyArrayObject* array) {
  Tensor t;
  t.dtype = dtype_of_numpy(array);
  t.data = PyArray_DATA(array);
  t.rank = PyArray_NDIM(array);
  t.read_only = !PyArray_ISWRITEABLE(array);
  if (t.rank < 1 || t.rank > max_rank)
    fail(ErrorKind::tensor, "tensor", "expected 1 to ", max_rank, " axes, got ", t.rank);
  const int64_t bytes = size_of(t.dtype);
  bool whole = PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
  for (int i = 0; i < t.rank; ++i) {
    const auto at = static_cast<size_t>(i);
    t.shape[at] = PyArray_DIM(array, i);
    t.stride[at] = PyArray_STRIDE(array, i) / bytes;
    whole = whole && PyArray_STRIDE(array, i) % bytes == 0;
  }
  if (!whole && PyArray_SIZE(array) > 0)
    fail(ErrorKind::tensor, "tensor",
         "expected whole aligned elements in the machine's byte order, got others");
  return t;
}

// A view with what keeps its memory. PyTorch can give a tensor other memory; what detach() returns
// stays as it is.
Given owned(nb::object array) {
  if (!PyArray_Check(array.ptr()) && nb::hasattr(array, "detach")) {
    refuse_lazy(array);
    array = array.attr("detach")();
  }
  Given out = output(array);
  if (!out.keep.is_valid()) out.keep = array;
  return out;
}

// Whether the object's class, or one that it is made of, comes from that library.
bool is_of(nb::handle object, std::string_view library) {
  for (nb::handle base : nb::tuple(object.type().attr("__mro__"))) {
    const nb::object module = nb::getattr(base, "__module__", nb::none());
    if (!PyUnicode_Check(module.ptr())) continue;
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(module.ptr(), &size);
    if (!text) throw nb::python_error();
    const std::string_view name(text, static_cast<size_t>(size));
    if (name.substr(0, name.find('.')) == library) return true;
  }
  return false;
}

// The stream that the object's library uses now, as an int.
nb::object current_stream(const Given& tensor) {
  if (is_of(tensor.unsaid, "torch"))
    return nb::module_::import_("torch.cuda")
        .attr("current_stream")(tensor.tensor.device_index)
        .attr("cuda_stream");
  if (is_of(tensor.unsaid, "cupy"))
    return nb::module_::import_("cupy.cuda")
        .attr("get_current_stream")(tensor.tensor.device_index)
        .attr("ptr");
  fail(ErrorKind::tensor, "stream", "expected stream=, a cudaStream_t as an int, for ",
       named_type(tensor.unsaid),
       " on a GPU, whose library does not say which one it uses, got none");
}

}  // namespace

bool has_signal() {
  const nb::gil_scoped_acquire mine;
  return PyErr_CheckSignals() != 0;
}

void read_numpy() {
  if (_import_array() < 0) throw nb::python_error();
}

Given given(nb::handle array) {
  if (array.is_none()) return {};
  if (PyArray_Check(array.ptr()))
    return {tensor_of_numpy(reinterpret_cast<PyArrayObject*>(array.ptr()))};
  if (const DlExchange* api = exchange_of(array)) return given_by_exchange(*api, array);
  if (nb::hasattr(array, "__dlpack__")) return given_by_capsule(array);
  refuse("[tensor] expected a NumPy array or a tensor with __dlpack__, got " + named_type(array));
}

Given output(nb::handle array) {
  if (array.is_none())
    refuse("[tensor] expected a NumPy array or a tensor with __dlpack__, got None");
  return given(array);
}

Given given(nb::handle array, bool heads_first) {
  Given out = given(array);
  if (!heads_first || array.is_none()) return out;
  if (out.tensor.rank < 3)
    fail(ErrorKind::tensor, "tensor", "expected [..., heads, tokens, dim], got ",
         describe(out.tensor));
  const auto at = static_cast<size_t>(out.tensor.rank - 3);
  std::swap(out.tensor.shape[at], out.tensor.shape[at + 1]);
  std::swap(out.tensor.stride[at], out.tensor.stride[at + 1]);
  return out;
}

GivenList::GivenList(nb::handle list) {
  if (list.is_none()) return;
  const nb::object steps = nb::steal(PyObject_GetIter(list.ptr()));
  if (!steps.is_valid()) {
    PyErr_Clear();
    refuse("[weights] expected a list of tensors, got " + named_type(list));
  }
  while (PyObject* next = PyIter_Next(steps.ptr())) all.push_back(owned(nb::steal(next)));
  if (PyErr_Occurred()) throw nb::python_error();
  for (const Given& one : all) tensors.push_back(one.tensor);
}

Stream stream_of(nb::handle stream, const Given& tensor) {
  if (stream.is_none() && !tensor.unsaid.is_valid()) return tensor.stream;
  const nb::object number = stream.is_none() ? current_stream(tensor) : nb::borrow(stream);
  void* handle = PyLong_AsVoidPtr(number.ptr());
  if (handle || !PyErr_Occurred()) return handle;
  PyErr_Clear();
  refuse("[stream] expected a cudaStream_t as an int, got " + named_type(number));
}

}  // namespace posenc::python
