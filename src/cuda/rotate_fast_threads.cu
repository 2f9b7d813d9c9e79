// rotate_fast_threads.cu: rotates queries and keys at the speed of memory.
//
// A thread takes a pack (or two, of a head's halves) of several heads of a token: the more heads,
// the fewer sines are made, as long as threads are left for the whole device. Angles are made in
// registers while the features are on their way, which costs less than to read a table.
#include "base/dispatch.h"
#include "cuda/pairs.h"
#include "cuda/rotate_fast.h"

namespace posenc::cuda {
namespace {

template <class T, bool kHalves, int kHeads, bool kKept>
__global__ void __launch_bounds__(128, kHalves ? 1 : 6)
    rotate_packs(const __grid_constant__ PlainCall c) {
  constexpr int count = kHalves ? Pack<T>::size : Pack<T>::size / 2;
  const Divided by_unit = c.units(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x);
  const Divided by_group = c.groups(by_unit.quotient);
  if (by_group.quotient >= c.all_tokens) return;
  const bool is_query = by_group.rest < c.q.groups;
  const PlainSide& side = is_query ? c.q : c.k;
  const int head = (static_cast<int>(by_group.rest) - (is_query ? 0 : c.q.groups)) * kHeads;
  const Divided token = c.token(by_group.quotient);
  const int64_t at = by_unit.rest * Pack<T>::size;
  const T* from = c.input<T>(is_query, token, head) + at;
  T* to = c.output<T>(is_query, token, head) + at;
  const int64_t in_head = side.in_head, out_head = side.out_head;
  const int heads = min(kHeads, side.count - head);
  wait_for_inputs();
  Pairs<count, kHalves, T> x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (h < heads) x[h].load(from + h * in_head, 1, c.apart);
  const int64_t k = by_unit.rest * count, position = c.angles.position(token);
  float cosine[count], sine[count];
  find_angles<kKept, count>(c.angles, position, k, cosine, sine);
  if (c.back) {
#pragma unroll
    for (int i = 0; i < count; ++i) sine[i] = -sine[i];
  }
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    if (h >= heads) break;
    x[h].turn_by(cosine, sine);
    x[h].store(to + h * out_head, 1, c.apart);
  }
}

template <class T, bool kHalves, int kHeads, bool kKept>
void launch_packs(const DeviceStream& stream, PlainCall& c, unsigned threads) {
  const int64_t units = c.apart / (kHalves ? Pack<T>::size : Pack<T>::size / 2);
  c.q.groups = (c.q.count + kHeads - 1) / kHeads, c.k.groups = (c.k.count + kHeads - 1) / kHeads;
  c.units = Divider(units), c.groups = Divider(c.q.groups + c.k.groups);
  const int64_t work = c.all_tokens * (c.q.groups + c.k.groups) * units;
  launch_early(stream, "rotate", shape_of(work, threads), rotate_packs<T, kHalves, kHeads, kKept>,
               c);
}

// Few heads a thread leave enough threads for the device; many share the angles that are made, or
// read: those of two heads in 16 bits are as many bytes as the heads.
template <class T, bool kHalves, bool kKept>
void rotate_layout(const DeviceStream& stream, PlainCall& c) {
  constexpr int many = kKept && sizeof(T) == 2 ? 8 : 4;
  const int64_t units = c.apart / (kHalves ? Pack<T>::size : Pack<T>::size / 2);
  const int64_t threads = c.all_tokens * (c.q.count + c.k.count) * units;
  threads < int64_t{stream.processors()} * 2048
      ? launch_packs<T, kHalves, 2, kKept>(stream, c, 128)
      : launch_packs<T, kHalves, many, kKept>(stream, c, 64);
}
template <class T, bool kHalves>
void rotate_layout(const DeviceStream& stream, PlainCall& c) {
  c.angles.kept_rows > 0 ? rotate_layout<T, kHalves, true>(stream, c)
                         : rotate_layout<T, kHalves, false>(stream, c);
}

}  // namespace

void rotate_by_packs(const DeviceStream& stream, PlainCall& c, DType dtype, bool halves) {
  dispatch(dtype, [&]<class T>() {
    if constexpr (sizeof(T) < 8)
      halves ? rotate_layout<T, true>(stream, c) : rotate_layout<T, false>(stream, c);
  });
}

}  // namespace posenc::cuda
