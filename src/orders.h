// orders.h: calls as plain structs, which is all that a device is told.
//
// A verb checks what it was given, writes down the whole call as one of these and hands it to
// run(), which picks the device. src/cpu/ and src/cuda/ know how; they check nothing.
#pragma once

#include "base/places.h"

namespace posenc {

struct RowSource;

// out = x + row(place) for [..., tokens, dim]. Without x (rank 0) the rows alone; with ids, x is
// scale * embedding[id].
struct AddOrder {
  const RowSource& rows;
  Places at;
  Tensor x, out;
  Tensor ids{}, embedding{};
  double scale = 1;

  Device device() const { return out.device; }
};

void run(const AddOrder& order);

namespace cpu {
void run(const AddOrder& order);
}
namespace cuda {
bool is_built();
void run(const AddOrder& order);
}  // namespace cuda

}  // namespace posenc
