// sums.h: gradients on a device: the same bits each time, and how far they may be off.
#pragma once

#include "tests/cuda/device.h"

namespace posenc {

// What a verb adds to some sums on a device; it is done twice, blocks and threads in another order,
// and gives the same bits.
template <class Verb>
void run_twice(const std::vector<const Guarded*>& sums, const Verb& verb) {
  std::vector<std::vector<unsigned char>> results[2];
  std::vector<OnDevice> there;
  std::vector<Tensor> views;
  for (const Guarded* s : sums) there.emplace_back(s->view()), views.push_back(there.back().view());
  for (auto& result : results) {
    for (OnDevice& t : there) t.put();
    std::optional<OtherOrder> other;
    if (&result == &results[1]) other.emplace();
    verb(std::span<const Tensor>(views));
    std::vector<std::vector<unsigned char>> before;
    for (size_t i = 0; i < sums.size(); ++i) {
      before.push_back(sums[i]->bytes());
      there[i].fetch();
      EXPECT_TRUE(sums[i]->intact());
      result.push_back(sums[i]->bytes());
    }
    if (&result == &results[0])  // as it was, for the second time
      for (size_t i = 0; i < sums.size(); ++i)
        std::memcpy(const_cast<unsigned char*>(sums[i]->bytes().data()), before[i].data(),
                    before[i].size());
  }
  EXPECT_EQ(results[0], results[1]);
}

inline Array widened(const Tensor& t) {
  Array out = make_array(DType::f64, {t.shape.begin(), t.shape.begin() + t.rank});
  for (int64_t n = 0; n < t.elements(); ++n) set(out.view(), n, get(t, n));
  return out;
}
inline Array sizes_of(const Tensor& t) {
  Array out = widened(t);
  for (double& x : out.values<double>()) x = std::abs(x);
  return out;
}

// A sum in the compute type of n terms and of what was there is off by at most a rounding of all
// their sizes for each of them, two more for the factor and one for the addition.
inline void expect_sums(const Tensor& got, const Tensor& truth, const Tensor& sizes, double terms) {
  const double rounding = half_ulp(got.dtype, 1);
  for (int64_t n = 0; n < truth.elements(); ++n)
    ASSERT_NEAR(get(got, n), get(truth, n), (terms + 3) * rounding * get(sizes, n) + 1e-300) << n;
}

}  // namespace posenc
