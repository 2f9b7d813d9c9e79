// every_target.cc: linked into a test program, it runs all its tests once on each instruction set.
#include "tests/support/every_target.h"

#include <cstdio>
#include <optional>

namespace posenc {
namespace {

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

[[maybe_unused]] const auto* const added = [] {
  auto* listener = new EveryTarget;  // gtest deletes it
  testing::UnitTest::GetInstance()->listeners().Append(listener);
  return listener;
}();

}  // namespace
}  // namespace posenc
