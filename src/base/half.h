// half.h: f16 and bf16 to and from f32, one number at a time, in integers.
#pragma once

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "base/bits.h"
#include "posenc/tensor.h"

namespace posenc {

// bf16 again, where the processor rounds to it in one instruction (Arm's extension bf16, x86's
// AVX512_BF16), and f16 where it multiplies it into f32 (Arm's fp16fml).
struct HardwareBF16 : BF16 {};
struct HardwareF16 : F16 {};
#if defined(__aarch64__) && defined(__linux__)
inline const bool has_hardware_bf16 = getauxval(AT_HWCAP2) >> 14 & 1;
inline const bool has_hardware_f16 = getauxval(AT_HWCAP) >> 23 & 1;
inline const bool has_hardware_complex = getauxval(AT_HWCAP) >> 14 & 1;
#else
#if defined(__x86_64__) && !defined(__clang__)
inline const bool has_hardware_bf16 = __builtin_cpu_supports("avx512bf16");
#else
inline constexpr bool has_hardware_bf16 = false;
#endif
inline constexpr bool has_hardware_f16 = false, has_hardware_complex = false;
#endif

POSENC_BOTH inline float to_f32(BF16 x) { return bit_cast<float>(uint32_t{x.bits} << 16); }

POSENC_BOTH inline BF16 to_bf16(float x) {
  const auto bits = bit_cast<uint32_t>(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return {static_cast<uint16_t>((bits >> 16) | 0x40)};
  return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

POSENC_BOTH inline float to_f32(F16 x) {
  const uint32_t sign = uint32_t{x.bits & 0x8000u} << 16, magnitude = x.bits & 0x7fffu;
  if (magnitude >= 0x7c00)  // infinity, or a NaN made quiet
    return bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13 |
                           (magnitude > 0x7c00 ? 0x400000u : 0u));
  if (magnitude >= 0x400) return bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
  const float tiny = static_cast<float>(magnitude) * 0x1p-24f;  // subnormal: exact
  return bit_cast<float>(sign | bit_cast<uint32_t>(tiny));
}

POSENC_BOTH inline F16 to_f16(float x) {
  const auto bits = bit_cast<uint32_t>(x);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  const auto with_sign = [&](uint32_t m) { return F16{static_cast<uint16_t>(sign | m)}; };
  if (magnitude > 0x7f800000) return with_sign(0x7e00 | ((magnitude >> 13) & 0x1ff));
  if (magnitude >= 0x477ff000) return with_sign(0x7c00);  // 65520 and more round to infinity
  if (magnitude >= 0x38800000)
    return with_sign((magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13);
  if (magnitude < 0x33000000) return with_sign(0);  // below half of the least subnormal
  const uint32_t exponent = magnitude >> 23, shift = 126 - exponent;
  const uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
  const uint32_t half = 1u << (shift - 1), rest = mantissa & ((1u << shift) - 1);
  const uint32_t whole = mantissa >> shift;
  return with_sign(whole + (rest > half || (rest == half && (whole & 1))));
}

inline float to_f32(float x) { return x; }

// A number of any element type from its compute type.
template <class T>
T rounded_to(Compute<T> x) {
  if constexpr (std::is_base_of_v<F16, T>) {
    return {to_f16(x)};
  } else if constexpr (std::is_base_of_v<BF16, T>) {
    return {to_bf16(x)};
  } else {
    return x;
  }
}

// x as an f32 that rounds on to f16 or bf16 as x itself would: nearest to 0 of its two neighbours,
// with the last bit set where something was cut off.
inline float cut_to_f32(double x) {
  const auto nearest = static_cast<float>(x);
  const double back = nearest;
  if (!(back < x || back > x)) return nearest;
  const bool beyond = x < 0 ? back < x : back > x;
  return bit_cast<float>((bit_cast<uint32_t>(nearest) - (beyond ? 1 : 0)) | 1);
}

// A number of any element type from any compute type, rounded once.
template <class T, class C>
T rounded_once(C x) {
  if constexpr (sizeof(T) == 2 && sizeof(C) == 8) {
    return rounded_to<T>(cut_to_f32(x));
  } else {
    return rounded_to<T>(static_cast<Compute<T>>(x));
  }
}

// A number of any element type as a double.
template <class T>
double as_double(T x) {
  if constexpr (sizeof(T) == 2) {
    return to_f32(x);
  } else {
    return static_cast<double>(x);
  }
}

}  // namespace posenc
