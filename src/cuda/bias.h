// bias.h: biases as kernels read them: on a profile, or from their formula, pair by pair.
#pragma once

#include <optional>

#include "cuda/element_types.h"
#include "cuda/views.h"
#include "orders/orders.h"
#include "relative/formula.h"

namespace posenc::cuda {

// Entry n of a head is factor * data[head * ld + n * step], of the compute type, and belongs to
// distance (key) first + n.
struct DeviceProfile {
  const void* data = nullptr;
  int64_t first = 0, count = 0, ld = 0, step = 1;
  double factor = 1;

  bool is_there() const { return count > 0; }
  template <class C>
  __device__ C read(int64_t head, int64_t n) const {
    const C value = static_cast<const C*>(data)[head * ld + n * step];
    return factor == 1 ? value : static_cast<C>(factor * static_cast<double>(value));
  }
};

// The numbers that the form of a formula reads, on the device of a stream; where its weights stay
// there, gathered for this call.
const double* block_on(const DeviceStream& stream, const BiasFormula& formula);
// The same from the block that the device keeps, without the weights.
const double* gather_block(const DeviceStream& stream, const BiasFormula& formula,
                           const double* kept);

// The profile of some heads of a formula: one that the plan keeps on the device, as it does unless
// it may not allocate or keeps too much, or one that lives as long as this.
class CallProfile {
 public:
  struct Wanted {
    Range range;
    DType dtype;
    double factor;
    int64_t first_head, heads;
  };
  // Without `always`, none where it would not be kept.
  CallProfile(const DeviceStream& stream, const BiasFormula& formula, const Wanted& wanted,
              bool always);
  DeviceProfile profile;

 private:
  std::optional<Temporary<char>> own_;
};

// A call on scores [..., heads, queries, keys]. Without scores the biases alone.
struct BiasCall {
  const BiasSource& bias;
  const ScorePlaces& at;
  const Tensor& out;
  const Tensor* scores = nullptr;
  double scale = 1;
};

// Ranges of queries and keys of a scheme that reads the distance or the key.
void add_along(const DeviceStream& stream, const BiasCall& call, const DeviceProfile& profile);
// Any positions: pairs read the profile, if there is one and they lie on it, and the formula
// otherwise; what has neither is NaN.
void add_pairs(const DeviceStream& stream, const BiasCall& call, const DeviceProfile& profile);

}  // namespace posenc::cuda
