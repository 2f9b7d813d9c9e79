// rotate_plain.h: the turn that most models need.
#pragma once

#include "cuda/runtime.h"
#include "orders.h"

namespace posenc::cuda {

// Turns, where whole positions on one axis say by how much, and all that turns lies in aligned
// packs; false where something is otherwise, and nothing was done.
bool turn_plainly(const Place& place, const TurnOrder& order);

}  // namespace posenc::cuda
