// dlpack.cc: tensors of other libraries, by DLPack.
#include "dlpack.h"

#include "c_values.h"

namespace posenc::python {
namespace {

// A capsule that nobody else frees.
template <class Managed>
void free_managed(void* at) noexcept {
  auto* managed = static_cast<Managed*>(at);
  if (managed->deleter) managed->deleter(managed);
}
template <class Managed>
Managed* take(nb::handle capsule, const char* name, const char* used, nb::object& keep) {
  if (!PyCapsule_IsValid(capsule.ptr(), name)) return nullptr;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
  PyCapsule_SetName(capsule.ptr(), used);
  keep = nb::capsule(managed, free_managed<Managed>);
  return managed;
}

// What a call of the object's library gives; what cannot be shown is told in the words of that
// library.
template <class F>
nb::object asked(nb::handle object, const F& call) {
  try {
    return call();
  } catch (nb::python_error& error) {
    const bool speaks_of_it = error.matches(PyExc_BufferError) ||
                              error.matches(PyExc_RuntimeError) || error.matches(PyExc_ValueError);
    if (!speaks_of_it) throw;
    fail(ErrorKind::tensor, "tensor", "expected one that DLPack can show, got ", named_type(object),
         ": ", nb::str(error.value()).c_str());
  }
}

// PyTorch's function for its own class, which takes a microsecond where __dlpack_device__() and
// __dlpack__() take ten; null for other objects. What is made of that class speaks for itself.
PyObject* exporter_of_torch(nb::handle object) {
  static PyObject *tensor = nullptr, *exporter = nullptr;
  if (!tensor) {
    if (named_type(object) != "Tensor") return nullptr;
    PyObject* modules = PyImport_GetModuleDict();
    PyObject* torch = PyDict_GetItemString(modules, "torch");
    PyObject* dlpack = PyDict_GetItemString(modules, "torch.utils.dlpack");
    if (!torch || !dlpack) return nullptr;
    exporter = PyObject_GetAttrString(dlpack, "to_dlpack");
    tensor = exporter ? PyObject_GetAttrString(torch, "Tensor") : nullptr;
    if (!tensor) return PyErr_Clear(), nullptr;
  }
  return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == tensor ? exporter : nullptr;
}

Tensor aligned(const posenc_tensor& view) {
  const Tensor out = c::tensor_of(&view);
  for (int i = 0; i < out.rank; ++i)
    if (!out.size(i)) return out;
  if (reinterpret_cast<uintptr_t>(out.data) % static_cast<uintptr_t>(size_of(out.dtype)))
    fail(ErrorKind::tensor, "tensor", "expected aligned elements, got others");
  return out;
}

nb::object capsule_of(nb::handle object) {
  if (const nb::handle exporter = exporter_of_torch(object))
    return asked(object, [&] { return exporter(object); });
  nb::dict how;
  if (nb::hasattr(object, "__dlpack_device__")) {
    const nb::object where = asked(object, [&] { return object.attr("__dlpack_device__")(); });
    if (nb::cast<int>(where[0]) == 2)
      how["stream"] = -1;  // no waiting: the caller says on which stream
  }
  nb::dict newer;
  newer.update(how);
  newer["max_version"] = nb::make_tuple(1, 0);
  try {
    return asked(object, [&] { return object.attr("__dlpack__")(**newer); });
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return asked(object, [&] { return object.attr("__dlpack__")(**how); });
}

}  // namespace

void refuse_lazy(nb::handle object) {
  static PyObject* const gradient = PyUnicode_InternFromString("requires_grad");
  static PyObject* const negated = PyUnicode_InternFromString("is_neg");
  PyObject* wants = PyObject_GetAttr(object.ptr(), gradient);
  if (!wants) return PyErr_Clear();
  const nb::object owned = nb::steal(wants);
  if (wants == Py_True)
    fail(ErrorKind::tensor, "tensor",
         "expected one without requires_grad, got one with it: take detach(), or posenc.torch, "
         "which has gradients");
  const nb::object is_negated =
      nb::steal(PyObject_CallMethodObjArgs(object.ptr(), negated, nullptr));
  if (!is_negated.is_valid()) return PyErr_Clear();
  if (is_negated.is(nb::handle(Py_True)))
    fail(ErrorKind::tensor, "tensor",
         "expected one whose numbers are in memory, got one that PyTorch negates when it reads it: "
         "take resolve_neg()");
}

const DlExchange* exchange_of(nb::handle object) {
  static PyObject* const name = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
  PyObject* capsule = PyObject_GetAttr(type, name);
  if (!capsule) return PyErr_Clear(), nullptr;
  const nb::object owned = nb::steal(capsule);
  if (!PyCapsule_IsValid(capsule, "dlpack_exchange_api")) return nullptr;
  const auto* found =
      static_cast<const DlExchange*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  while (found && found->version.major > 1) found = found->previous;
  return found && found->version.major == 1 && found->tensor_of ? found : nullptr;
}

Given given_by_exchange(const DlExchange& api, nb::handle object) {
  refuse_lazy(object);
  posenc_tensor view{};
  if (api.tensor_of(object.ptr(), &view)) {
    const nb::python_error why;  // long: with a trace of its library
    fail(ErrorKind::tensor, "tensor", "expected one that DLPack can show, got another ",
         named_type(object));
  }
  Given out{aligned(view)};
  if (out.tensor.device == Device::cuda &&
      api.current_stream(view.device.device_type, view.device.device_id, &out.stream))
    throw nb::python_error();
  return out;
}

Given given_by_capsule(nb::handle object) {
  refuse_lazy(object);
  const nb::object capsule = capsule_of(object);
  Given out;
  if (auto* managed =
          take<DlVersioned>(capsule, "dltensor_versioned", "used_dltensor_versioned", out.keep)) {
    if (managed->version.major != 1) refuse("[tensor] expected DLPack 1, got another");
    out.tensor = aligned(managed->tensor);
    out.tensor.read_only = managed->flags & dl_read_only;
  } else if (auto* plain = take<DlManaged>(capsule, "dltensor", "used_dltensor", out.keep)) {
    out.tensor = aligned(plain->tensor);
  } else {
    refuse("[tensor] expected a capsule of DLPack from __dlpack__, got " + named_type(capsule));
  }
  if (out.tensor.device == Device::cuda) out.unsaid = object;
  return out;
}

}  // namespace posenc::python
