// every_target.h: runs a body on every instruction set that is compiled in and that this machine
// has.
#pragma once

#include <gtest/gtest.h>

#include "hwy/targets.h"

namespace posenc {

// While it lives, kernels run on that instruction set and no other.
class OnTarget {
 public:
  explicit OnTarget(int64_t target) { choose(target); }
  ~OnTarget() { choose(0); }
  OnTarget(const OnTarget&) = delete;
  OnTarget& operator=(const OnTarget&) = delete;

 private:
  static void choose(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);  // 0: whatever the machine has
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

template <class Body>
void for_every_target(Body body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const OnTarget here(target);
    body();
  }
}

}  // namespace posenc
