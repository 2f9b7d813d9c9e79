// every_target.h: runs a body on every instruction set that is compiled in and that this machine
// has.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

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

// Runs all tests of a program once on each.
class EveryTarget : public testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const testing::UnitTest&) override {
    testing::GTEST_FLAG(repeat) *= static_cast<int>(targets_.size());
  }
  void OnTestIterationStart(const testing::UnitTest&, int iteration) override {
    const int64_t target = targets_[static_cast<size_t>(iteration) % targets_.size()];
    std::printf("On %s\n", hwy::TargetName(target));
    here_.emplace(target);
  }
  void OnTestIterationEnd(const testing::UnitTest&, int) override { here_.reset(); }

 private:
  const std::vector<int64_t> targets_ = hwy::SupportedAndGeneratedTargets();
  std::optional<OnTarget> here_;
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
