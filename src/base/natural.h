// natural.h: products of powers as whole numbers of any length, to compare them exactly.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace posenc {

struct Power {
  int64_t base, exponent;  // neither is negative
};

class Natural {
 public:
  Natural(std::initializer_list<Power> powers) {
    for (const Power& p : powers) multiply(p);
  }
  friend bool operator<=(const Natural& a, const Natural& b) { return !(b < a); }
  friend bool operator<(const Natural& a, const Natural& b) {
    if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size();
    for (size_t i = a.limbs_.size(); i-- > 0;)
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i];
    return false;
  }

 private:
  void multiply(const Power& p) {  // as many factors at a time as a limb holds
    const auto base = static_cast<uint64_t>(p.base);
    int64_t left = p.exponent;
    while (left > 0) {
      uint64_t together = base;
      for (--left; left > 0 && together <= UINT64_MAX / (base + 1); --left) together *= base;
      multiply(together);
    }
  }
  void multiply(uint64_t factor) {
    __extension__ using Twice = unsigned __int128;
    uint64_t carry = 0;
    for (uint64_t& limb : limbs_) {
      const Twice product = Twice{limb} * factor + carry;
      limb = static_cast<uint64_t>(product), carry = static_cast<uint64_t>(product >> 64);
    }
    if (carry != 0) limbs_.push_back(carry);
    while (limbs_.back() == 0 && limbs_.size() > 1) limbs_.pop_back();
  }

  std::vector<uint64_t> limbs_{1};  // the least first
};

}  // namespace posenc
