// plan.h: what the plan of a bias holds, and the profiles it keeps.
#pragma once

#include "base/kept.h"
#include "base/scratch.h"
#include "posenc/relative/verbs.h"
#include "relative/formula.h"

namespace posenc {

// Biases of all heads of a scheme over a range of distances (keys, entries).
struct Profile {
  Range range;
  int64_t ld;  // from one head to the next, in elements
  Scratch<char> memory;
};

// Profiles of a plan, one for each element type and factor, made when a call first asks for them.
class KeptProfiles {
 public:
  Borrowed<Profile> get(const BiasFormula& formula, int64_t heads, DType dtype, double factor,
                        Range wanted) const;
  // Keeps what positions 0 .. keep - 1 need, whatever its size, and returns its range.
  Range keep(const BiasFormula& formula, int64_t heads, int64_t positions) const;

 private:
  struct ProfileSlot {
    DType dtype{};
    double factor = 0;
    Kept<Profile> profile{};
  };
  const ProfileSlot* slot_of(DType dtype, double factor) const;  // null where there is none left

  mutable std::mutex mutex_;
  mutable size_t used_ = 0;
  mutable ProfileSlot slots_[8];
};

struct BiasPlan::Parts {
  std::string_view name;  // of the scheme
  int64_t heads;
  BiasFormula formula;
  std::vector<std::vector<int64_t>> shapes{};  // of the weights
  std::vector<Weight> weights{};
  KeptProfiles profiles{};
};

}  // namespace posenc
