// random.h: seeded random numbers, the same on every machine.
#pragma once

#include <cstdint>
#include <random>

namespace posenc {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t bits() { return engine_(); }
  double real(double low = -1, double high = 1) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  int64_t integer(int64_t low, int64_t high) {  // both ends included
    return low + static_cast<int64_t>(bits() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace posenc
