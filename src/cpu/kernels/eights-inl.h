// eights-inl.h: turns pairs of f16 in halves, eight at a time, by Arm's products of f16 into f32.
//
// Only two of the four pipes convert, and rounding keeps them busy, so the a are widened by a
// product with 1 (-0 plus a times 1 is a, whatever a is). On a Neoverse V1 a call then takes 2.6
// times as long as an in-place x += c, and 3.0 times with conversions. The order was found by
// measuring; compilers sort by kind, which takes a tenth longer.
#if defined(POSENC_EIGHTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_EIGHTS_INL_H_
#undef POSENC_EIGHTS_INL_H_
#else
#define POSENC_EIGHTS_INL_H_
#endif

#include "cpu/kernels/lanes-inl.h"
#include "hwy/highway.h"

#if POSENC_ARM_EXTENSIONS
HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

// As many of a head's pairs as eights hold; returns the next.
HWY_INLINE int64_t RotateEights(const HardwareF16* a, HardwareF16* out_a, const float* cosine,
                                const float* sine, int64_t pairs) {
  const int64_t whole = pairs / 8 * 8;
  if (whole == 0) return 0;
  const auto *b = a + pairs, *end = a + whole;
  auto* out_b = out_a + pairs;
  asm volatile(
      ".arch armv8.2-a+crypto+fp16fml\n"
      "1:\n\t"
      "ldr q1, [%[b]]\n\t"
      "ldr q0, [%[a]]\n\t"
      "ldp q16, q17, [%[cosine]]\n\t"
      "ldp q18, q19, [%[sine]]\n\t"
      "fcvtl2 v5.4s, v1.8h\n\t"
      "mov v3.16b, %[zero].16b\n\t"
      "fmlal2 v3.4s, v0.4h, %[one].4h\n\t"
      "fcvtl v4.4s, v1.4h\n\t"
      "mov v2.16b, %[zero].16b\n\t"
      "fmlal v2.4s, v0.4h, %[one].4h\n\t"
      "fmul v20.4s, v4.4s, v16.4s\n\t"
      "fmul v6.4s, v2.4s, v16.4s\n\t"
      "fmul v7.4s, v3.4s, v17.4s\n\t"
      "fmls v6.4s, v4.4s, v18.4s\n\t"
      "fmul v21.4s, v5.4s, v17.4s\n\t"
      "fmla v20.4s, v2.4s, v18.4s\n\t"
      "fmls v7.4s, v5.4s, v19.4s\n\t"
      "fmla v21.4s, v3.4s, v19.4s\n\t"
      "fcvtn v20.4h, v20.4s\n\t"
      "fcvtn v6.4h, v6.4s\n\t"
      "fcvtn v7.4h, v7.4s\n\t"
      "fcvtn v21.4h, v21.4s\n\t"
      "stp d20, d21, [%[out_b]]\n\t"
      "stp d6, d7, [%[out_a]]\n\t"
      "add %[a], %[a], #16\n\t"
      "add %[b], %[b], #16\n\t"
      "add %[cosine], %[cosine], #32\n\t"
      "add %[sine], %[sine], #32\n\t"
      "add %[out_a], %[out_a], #16\n\t"
      "add %[out_b], %[out_b], #16\n\t"
      "cmp %[a], %[end]\n\t"
      "b.ne 1b"
      : [a] "+r"(a), [b] "+r"(b), [out_a] "+r"(out_a), [out_b] "+r"(out_b), [cosine] "+r"(cosine),
        [sine] "+r"(sine)
      : [end] "r"(end), [one] "w"(vdupq_n_u16(0x3c00)), [zero] "w"(vdupq_n_u32(0x80000000))
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
        "cc", "memory");
  return whole;
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
