// plan.cc: how many plans share the same parts.
#include "posenc/plan.h"

#include <atomic>

namespace posenc::detail {

void own(Counted* shared) {
  if (shared) ++std::atomic_ref(shared->owners);
}

void disown(Counted* shared) {
  if (shared && --std::atomic_ref(shared->owners) == 0) delete shared;
}

}  // namespace posenc::detail
