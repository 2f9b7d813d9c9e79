// dlpack.h: what DLPack hands over, as far as it is read here; the tensor itself is posenc_tensor.
//
// The words are those of DLPack 1: https://dmlc.github.io/dlpack/latest/
#pragma once

#include "given.h"
#include "posenc/posenc_c.h"

namespace posenc::python {

struct DlVersion {
  uint32_t major, minor;
};

// In a capsule "dltensor".
struct DlManaged {
  posenc_tensor tensor;
  void* context;
  void (*deleter)(DlManaged*);
};

// In a capsule "dltensor_versioned".
struct DlVersioned {
  DlVersion version;
  void* context;
  void (*deleter)(DlVersioned*);
  uint64_t flags;
  posenc_tensor tensor;
};
inline constexpr uint64_t dl_read_only = 1;

// In a capsule "dlpack_exchange_api": functions that need no capsule for each tensor. They return
// 0, or -1 with a Python error.
struct DlExchange {
  DlVersion version;
  DlExchange* previous;
  void* allocate;
  int (*managed_of)(void* object, DlVersioned** out);
  void* to_object;
  int (*tensor_of)(void* object, posenc_tensor* out);  // may be null; lives as long as the object
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
};

// Errors for one of PyTorch that asks for a gradient, or whose numbers are the negatives of those
// in memory: what is written beside autograd, or read without it, would be wrong in silence.
void refuse_lazy(nb::handle object);
// The exchange functions of the object's type, or null.
const DlExchange* exchange_of(nb::handle object);
Given given_by_exchange(const DlExchange& api, nb::handle object);
// By its method __dlpack__.
Given given_by_capsule(nb::handle object);

}  // namespace posenc::python
