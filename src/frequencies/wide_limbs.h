// wide_limbs.h: whole numbers of several 64-bit limbs, the least first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace posenc::limbs {

__extension__ using Twice = unsigned __int128;

// limbs >> n; returns whether a bit that was set is lost.
template <class Limbs>
bool shift_right(Limbs& limbs, uint64_t n) {
  const size_t whole = n / 64, size = limbs.size();
  uint64_t lost = whole < size ? limbs[whole] & ((uint64_t{1} << n % 64) - 1) : 0;
  for (size_t i = 0; i < size && i < whole; ++i) lost |= limbs[i];
  for (size_t i = 0; i < size; ++i) {
    const uint64_t low = i + whole < size ? limbs[i + whole] : 0;
    const uint64_t high = i + whole + 1 < size ? limbs[i + whole + 1] : 0;
    limbs[i] = static_cast<uint64_t>((Twice{high} << 64 | low) >> n % 64);
  }
  return lost != 0;
}

template <class Limbs>
void shift_left(Limbs& limbs, uint64_t n) {
  const size_t whole = n / 64;
  for (size_t i = limbs.size(); i-- > 0;) {
    const uint64_t high = i >= whole ? limbs[i - whole] : 0;
    const uint64_t low = i > whole ? limbs[i - whole - 1] : 0;
    limbs[i] = static_cast<uint64_t>((Twice{high} << 64 | low) << n % 64 >> 64);
  }
}

template <class Limbs>
bool add(Limbs& a, const Limbs& b) {  // a += b; returns the carry
  Twice sum = 0;
  for (size_t i = 0; i < a.size(); ++i, sum >>= 64) {
    sum += Twice{a[i]} + b[i];
    a[i] = static_cast<uint64_t>(sum);
  }
  return sum != 0;
}

template <class Limbs>
bool subtract(Limbs& a, const Limbs& b) {  // a -= b; returns the borrow
  bool borrow = false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Twice difference = Twice{a[i]} - b[i] - borrow;
    a[i] = static_cast<uint64_t>(difference), borrow = difference >> 64 != 0;
  }
  return borrow;
}

// floor((high 2^64 + low) / divisor); high < divisor, whose first bit is 1. By halves of a limb:
// not every compiler brings a division of 128 bits.
inline uint64_t divide(uint64_t high, uint64_t low, uint64_t divisor) {
  constexpr uint64_t mask = 0xffffffff;
  uint64_t quotient = 0;
  for (const uint64_t next : {low >> 32, low & mask}) {
    uint64_t digit = high / (divisor >> 32), rest = high % (divisor >> 32);
    while (digit > mask || digit * (divisor & mask) > (rest << 32 | next)) {
      --digit, rest += divisor >> 32;
      if (rest > mask) break;
    }
    high = (high << 32 | next) - digit * divisor;
    quotient = quotient << 32 | digit;
  }
  return quotient;
}

// floor(remainder 2^64 / divisor), and what remains of it; remainder < divisor, whose first bit
// is 1.
inline uint64_t divide_step(std::array<uint64_t, 3>& remainder,
                            const std::array<uint64_t, 3>& divisor) {
  uint64_t digit =
      remainder[2] >= divisor[2] ? ~uint64_t{0} : divide(remainder[2], remainder[1], divisor[2]);
  std::array<uint64_t, 4> rest{0, remainder[0], remainder[1], remainder[2]}, taken{};
  Twice product = 0;
  for (size_t i = 0; i < 3; ++i, product >>= 64) {
    product += Twice{divisor[i]} * digit;
    taken[i] = static_cast<uint64_t>(product);
  }
  taken[3] = static_cast<uint64_t>(product);
  bool over = subtract(rest, taken);
  for (; over; --digit) over = !add(rest, {divisor[0], divisor[1], divisor[2], 0});
  remainder = {rest[0], rest[1], rest[2]};
  return digit;
}

}  // namespace posenc::limbs
