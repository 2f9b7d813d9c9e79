// check.h: what verbs check before they start; every check ends in a sentence.
#pragma once

#include "base/overlap.h"
#include "posenc/positions.h"
#include "posenc/wave.h"

namespace posenc {

// Of the same rank and sizes; what a tensor holds past its rank means nothing.
inline bool same_shape(const Tensor& a, const Tensor& b) {
  bool same = a.rank == b.rank;
  for (int i = 0; same && i < a.rank; ++i) same = a.size(i) == b.size(i);
  return same;
}
// The same elements of the same memory; a step along an axis of one element is never taken.
inline bool same_view(const Tensor& a, const Tensor& b) {
  bool same = a.data == b.data && a.dtype == b.dtype && same_shape(a, b);
  for (int i = 0; same && i < a.rank; ++i) same = a.step(i) == b.step(i) || a.size(i) == 1;
  return same;
}
// How many elements, or -1 where a size is negative or they do not fit 64 bits.
inline int64_t counted(const Tensor& t) {
  int64_t n = 1;
  for (int i = 0; i < t.rank; ++i)
    if (t.size(i) < 0 || __builtin_mul_overflow(n, t.size(i), &n) || n > INT64_MAX / 8) return -1;
  return n;
}
// Whether all elements lie within 2^60 bytes, so that offsets never leave 64 bits.
bool fits_offset_range(const Tensor& t);
// The same, which sizes below 2^26 and strides within 2^31 tell at once.
inline bool fits_offset_range_fast(const Tensor& t) {
  int64_t sizes = 0, steps = 0;
  for (int i = 0; i < t.rank; ++i) sizes |= t.size(i), steps |= t.step(i) ^ (t.step(i) >> 63);
  return (sizes >> 26 | steps >> 31) == 0;
}
// Of a known element type on a device that is there, of a size and strides that fit 64 bits, with
// data.
[[noreturn]] void refuse_memory(std::string_view verb, std::string_view what, const Tensor& t);
void check_device(std::string_view verb, std::string_view what, const Tensor& t);
template <class Verb, class What>
void check_memory(const Verb& verb, const What& what, const Tensor& t) {
  const int64_t n = counted(t);
  if (t.device != Device::cpu) check_device(verb, what, t);
  if (t.dtype > DType::i64 || n < 0 ||
      (n > 0 && (!t.data || (!fits_offset_range_fast(t) && !fits_offset_range(t)))))
    refuse_memory(verb, what, t);
}
// The same, on the CPU: for what the host reads or works on, whatever CUDA there is.
void refuse_device(std::string_view verb, std::string_view what);
template <class Verb, class What>
void check_host_memory(const Verb& verb, const What& what, const Tensor& t) {
  check_memory(verb, what, t);
  if (t.device != Device::cpu) refuse_device(verb, what);
}
// One tensor of the right shape for each weight of a scheme.
void check_weights(std::string_view scheme, const std::vector<Weight>& wanted,
                   std::span<const Tensor> given);
// Throws Error unless both live on the same device; a tensor of rank 0 is not given.
void refuse_devices(const char* verb, const char* what, const Tensor& a, const char* other,
                    const Tensor& b);
inline void check_same_device(const char* verb, const char* what, const Tensor& a,
                              const char* other, const Tensor& b) {
  if (a.rank > 0 && b.rank > 0 &&
      (a.device != b.device || (a.device != Device::cpu && a.device_index != b.device_index)))
    refuse_devices(verb, what, a, other, b);
}
// A float tensor [..., tokens, dim].
void check_rows(const char* verb, const char* what, const Tensor& t, int64_t dim);
// Of the same shape and element type as `like`.
void check_same(const char* verb, const char* what, const Tensor& t, const Tensor& like);
// It may be written, and no element is written twice.
void check_output(const char* verb, const Tensor& t);
// Input and output are the same view or share no memory, on one device.
void check_overlap(const char* verb, const Tensor& in, const Tensor& out);
// They share no memory but a device; a tensor of rank 0 is not given.
void check_apart(const char* verb, const char* what, const Tensor& a, const char* other,
                 const Tensor& b);
// The same for an output and what says where tokens stand.
inline void check_apart(const char* verb, const Tensor& out, const Positions& at) {
  if (!at.is_range()) check_apart(verb, "the output", out, "the positions", at.ids);
}
// A float tensor [vocabulary, dim] of the given type.
void check_vocabulary(const char* verb, const char* what, const Tensor& t, DType dtype,
                      int64_t dim);
// Integers [..., tokens] that fit rows [..., tokens, dim], each from 0 to below `limit`; the host
// does not read those of another device.
void check_ids(const char* verb, const Tensor& ids, const Tensor& rows, int64_t limit);

}  // namespace posenc
