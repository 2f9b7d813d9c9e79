// overlap.cc: addresses of views as sums of steps.
//
// The addresses of a view are sums x_0 s_0 + x_1 s_1 + ... with 0 <= x_i < n_i. Two views meet
// where a sum of one is a sum of the other, that is, where a sum over the axes of both hits one
// number.
#include "base/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace posenc {
namespace {

struct StrideTerm {
  int64_t step = 0, most = 0;  // x * step, x = 0 .. most
};

// Terms in falling order of their steps.
struct Terms {
  StrideTerm list[2 * max_rank + 2];
  int count = 0;

  void insert(const StrideTerm& t) {
    int at = count++;
    for (; at > 0 && list[at - 1].step < t.step; --at) list[at] = list[at - 1];
    list[at] = t;
  }
};

// All sums of one multiple of each step.
class StepSums {
 public:
  void add(int64_t step, int64_t most) {
    if (step == 0 || most <= 0) return;
    for (int i = 0; i < terms_.count; ++i)
      if (terms_.list[i].step == step) return void(terms_.list[i].most += most);
    terms_.insert({step, most});
  }

  bool contain(int64_t sum) {
    rests_[terms_.count] = {0, 0, true};
    for (int i = terms_.count - 1; i >= 0; --i) {
      const Rest& less = rests_[i + 1];
      const auto [step, most] = terms_.list[i];
      const bool divides = less.unit != 0 && step % less.unit == 0;
      rests_[i] = {less.reach + step * most, divides ? less.unit : std::gcd(step, less.unit),
                   less.unit == 0 || (less.dense && divides && step <= less.reach + less.unit)};
    }
    return find(0, sum);
  }

 private:
  // What the terms from one on give: multiples of `unit` up to `reach`, all of them if `dense`.
  struct Rest {
    int64_t reach = 0, unit = 0;
    bool dense = false;
  };

  bool find(int i, int64_t sum) {
    const Rest& rest = rests_[i];
    if (sum < 0 || sum > rest.reach) return false;
    if (sum == 0) return true;
    if (sum % rest.unit != 0) return false;
    if (rest.dense || --patience_ < 0) return true;
    const auto [step, most] = terms_.list[i];
    const int64_t beyond = std::max<int64_t>(sum - rests_[i + 1].reach, 0);
    for (int64_t x = (beyond + step - 1) / step; x <= std::min(most, sum / step); ++x)
      if (find(i + 1, sum - x * step) || patience_ < 0) return true;
    return false;
  }

  Terms terms_;
  Rest rests_[2 * max_rank + 3];
  int patience_ = 4096;
};

struct Bytes {
  uintptr_t first = 1, last = 0;  // none
};
Bytes bytes_of(const Tensor& t) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < t.rank; ++i) {
    if (t.size(i) == 0) return {};
    const int64_t reach = (t.size(i) - 1) * t.step(i);
    (reach < 0 ? low : high) += reach;
  }
  const auto at = reinterpret_cast<uintptr_t>(t.data);
  const int64_t size = size_of(t.dtype);
  return {at + static_cast<uintptr_t>(low * size),
          at + static_cast<uintptr_t>(high * size + size - 1)};
}

// Whether a difference of two sums is 0, but not of equal ones. The first axis on which they differ
// does so by 1 + x; those after it by x - most, all of them shifted to begin at 0.
bool differences_vanish(const Terms& axes) {
  for (int i = 0; i < axes.count; ++i) {
    StepSums sums;
    sums.add(axes.list[i].step, axes.list[i].most - 1);
    int64_t sum = -axes.list[i].step;
    for (int j = i + 1; j < axes.count; ++j) {
      sums.add(axes.list[j].step, 2 * axes.list[j].most);
      sum += axes.list[j].step * axes.list[j].most;
    }
    if (sums.contain(sum)) return true;
  }
  return false;
}

bool repeats_in_any_order(const Tensor& t) {
  if (t.elements() == 0) return false;
  Terms axes;
  for (int i = 0; i < t.rank; ++i)
    if (t.size(i) > 1) axes.insert({std::abs(t.step(i)), t.size(i) - 1});
  int64_t reach = 0;
  bool nested = true;  // every step goes beyond all smaller ones together
  for (int i = axes.count - 1; nested && i >= 0; --i) {
    nested = axes.list[i].step > reach;
    reach += axes.list[i].step * axes.list[i].most;
  }
  return !nested && (axes.list[axes.count - 1].step == 0 || differences_vanish(axes));
}

}  // namespace

bool repeats(const Tensor& t) {
  uint64_t reach = 0;  // of the axes from the last one on, which is the order of dense memory
  for (int i = t.rank - 1; i >= 0; --i) {
    if (t.size(i) == 1) continue;
    const auto step = static_cast<uint64_t>(t.step(i));
    const uint64_t size = t.step(i) < 0 ? 0 - step : step;
    if (size <= reach) return repeats_in_any_order(t);
    reach += size * static_cast<uint64_t>(t.size(i) - 1);
  }
  return false;
}

bool overlap(const Tensor& a, const Tensor& b) {
  const Bytes x = bytes_of(a), y = bytes_of(b);
  if (x.last < y.first || y.last < x.first) return false;
  StepSums sums;
  for (const Tensor* t : {&a, &b}) {
    const int64_t size = size_of(t->dtype);
    for (int i = 0; i < t->rank; ++i) sums.add(std::abs(t->step(i)) * size, t->size(i) - 1);
    sums.add(1, size - 1);
  }
  return sums.contain(static_cast<int64_t>(y.last - x.first));
}

}  // namespace posenc
