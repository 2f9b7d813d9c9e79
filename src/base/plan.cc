// plan.cc: how many plans share the same parts; std::atomic_ref is not in every standard library.
#include "posenc/plan.h"

namespace posenc::detail {

void own(Counted* shared) {
  if (shared) __atomic_add_fetch(&shared->owners, 1, __ATOMIC_RELAXED);
}

void disown(Counted* shared) {
  if (shared && __atomic_sub_fetch(&shared->owners, 1, __ATOMIC_ACQ_REL) == 0) delete shared;
}

}  // namespace posenc::detail
