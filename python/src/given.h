// given.h: what Python hands over, as the values of the library.
#pragma once

#include <nanobind/nanobind.h>

#include "base/interrupt.h"
#include "posenc/posenc.h"

namespace posenc::python {

namespace nb = nanobind;

[[noreturn]] inline void refuse(const std::string& sentence) {
  throw nb::type_error(sentence.c_str());
}
// As C knows it: float, Tensor, numpy.ndarray. Arguments are also refused while the lock is
// released.
inline std::string type_name(PyTypeObject* type) {
  const nb::gil_scoped_acquire lock;
  const nb::handle object(reinterpret_cast<PyObject*>(type));
  const std::string name = nb::str(object.attr("__name__")).c_str();
  if ((PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) != 0) return name;
  const std::string module = nb::str(object.attr("__module__")).c_str();
  return module == "builtins" ? name : module + "." + name;
}
inline std::string named_type(nb::handle object) { return type_name(Py_TYPE(object.ptr())); }

// A view of someone's array; not given: of rank 0. The object must outlive it.
struct Given {
  Tensor tensor{};
  nb::object keep{};       // what frees the view, where the object itself does not
  void* stream = nullptr;  // where its library queues work on it now
  nb::handle unsaid = {};  // the object itself, where DLPack did not tell the stream
};

// array: of NumPy, or anything with __dlpack__; None is not given. TypeError for anything else.
Given given(nb::handle array);
Given output(nb::handle array);  // the same; TypeError for None
// The last axes as [tokens, heads, dim], where they are [heads, tokens, dim].
Given given(nb::handle array, bool heads_first);

// Tensors of a list or of whatever else can be gone through once; their memory is kept as long.
struct GivenList {
  std::vector<Given> all;
  std::vector<Tensor> tensors;
  explicit GivenList(nb::handle list);
};

// None: 0, 1, 2, ...; an int: from there on; an array or a list: those.
class Where {
 public:
  explicit Where(nb::handle at);
  const Positions& positions() const { return positions_; }

 private:
  nb::object made_{};  // an array of what was a list
  Given ids_{};
  Positions positions_{};
};

// stream: a cudaStream_t as an int, or None: the one where the tensor's library queues its work.
// Errors where that library does not tell it.
Stream stream_of(nb::handle stream, const Given& tensor);

template <class E>
E choice_of(const char* what, std::string_view word) {
  for (size_t i = 0; i < names_of<E>.size(); ++i)
    if (names_of<E>[i] == word) return static_cast<E>(i);
  fail(ErrorKind::option, what, "expected one of its choices, got '", word, "'",
       suggestion(word, enum_choices<E>()));
}

// The preset of that name.
template <class T>
T preset_of(const char* what, std::string_view word) {
  std::vector<std::string> names;
  for (const auto& preset : T::presets()) {
    if (preset.name == word) return preset.value;
    names.emplace_back(preset.name);
  }
  fail(ErrorKind::option, what, "unknown name '", word, "'", suggestion(word, names));
}

// As long as it lives others may run Python, and Ctrl-C ends the library's call: Python's handler
// has then set the exception.
bool has_signal();
struct Released {
  nb::gil_scoped_release others{};
  InterruptScope scope{has_signal};
};

// Others may run Python meanwhile, where that is worth it.
template <class F>
void work(const Tensor& on, const F& f) {
  int64_t elements = 1;
  for (int i = 0; i < on.rank && elements < 16384; ++i)
    elements *= std::max<int64_t>(on.size(i), 1);
  if (on.device == Device::cpu && elements < 16384) return f();
  const Released others;
  f();
}

void read_numpy();  // when the module is imported

}  // namespace posenc::python
