// rotate_into_vectorised.cu: normalises, rotates and stores heads 16 bytes at a time.
#include "cuda/rotate_into_vectorised.h"

#include "base/dispatch.h"

namespace posenc::cuda {
namespace {

struct PackCall : RotateIntoCall, PackHeads {
  PackCall(const RotateIntoCall& c, const PackHeads& heads) : RotateIntoCall(c), PackHeads(heads) {}
};

// The weights of the norm of a thread's packs; 1 where there is none.
template <int kSize, class C>
__device__ void read_weights(const RotateIntoSide& side, const Role& role, C plus, C* out) {
#pragma unroll
  for (int s = 0; s < 2; ++s)
    if (side.normed)
      read_numbers<kSize>(side.weight_type, side.weights, role.feature[s], out + s * kSize);
#pragma unroll
  for (int i = 0; i < 2 * kSize; ++i) out[i] = side.normed ? out[i] + plus : 1;
}

// Keys as they are stored: in their own type or in another.
template <class T, class C>
__device__ void store_key(const DeviceCache& to, char* cached, int64_t at, const Pack<T>& y,
                          const C* x) {
  if (to.dtype == dtype_of<T>) {
    store_pack(reinterpret_cast<T*>(cached) + at, y);
  } else {
    write_numbers<Pack<T>::size>(to.dtype, cached, at, x);
  }
}

template <bool kHalves, class T>
__global__ void __launch_bounds__(pack_threads, sizeof(T) == 8 ? 2 : 4)
    rotate_into_by_pack(const __grid_constant__ PackCall c) {
  using C = Compute<T>;
  constexpr int size = Pack<T>::size, parts = kHalves ? 1 : 2, count = size / parts;
  if (blockIdx.x >= c.head_blocks) return store_values<T>(c);
  const int unit = static_cast<int>(threadIdx.x) & ((1 << c.lane_bits) - 1);
  const Role role = role_of<kHalves, size>(c, min(unit, c.units - 1));
  const int64_t group = (blockIdx.x * int64_t{pack_threads} + threadIdx.x) >> c.lane_bits;
  const Work work = work_of<1>(c, group, unit >= c.units);
  const int64_t row = work.token.quotient, token = work.token.rest;
  const PlainSide& side = work.is_query ? c.heads.q : c.heads.k;
  const RotateIntoSide& norm = work.is_query ? c.q : c.k;
  const int apart = role.feature[1] - role.feature[0];
  const T* from = c.heads.input<T>(work.is_query, work.token, work.head) + role.feature[0];
  wait_for_inputs();

  Pack<T> raw[1][2];
  raw[0][0].all = raw[0][1].all = uint4{};
  if (work.heads > 0) raw[0][0] = load_pack(from), raw[0][1] = load_pack(from + apart);
  Factors<kHalves, size, C> factors;
#pragma unroll
  for (int s = 0; s < parts; ++s) {
    if (!role.turns[s]) continue;
    C *cosine = factors.a + s * count, *sine = factors.b + s * count;
    c.angles.find<count>(row, token, 0, role.pair[s], cosine, sine);
    if (c.angles.adjusts)
      c.angles.adjust<count>(work.is_query, row, token, role.pair[s], cosine, sine);
  }
  Slot slot;
  char* cached = nullptr;  // where they go in the cache
  if (!work.is_query && c.k_cache.given && work.heads > 0 &&
      c.slots.find(c.slots.read(row, token), row, token, slot))
    cached = c.k_cache.data + (c.k_cache.at(slot, work.head) + role.feature[0]) * c.k_cache.size;
  C weight[2 * size], scale[1];
  read_weights<size>(norm, role, c.plus.as<C>(), weight);
  const bool warms = work.is_query && c.angles.magnitudes.has_temperature;
  factors.set(role, weight, warms ? static_cast<C>(c.angles.passing(row, token)) : 1);
  if (c.norms) find_scales<1>(c.lane_bits, c.one_of_dim.as<C>(), c.epsilon.as<C>(), raw, scale);
  if (work.heads == 0) return;
  C x[2 * size];
  unpack(raw[0][0], x), unpack(raw[0][1], x + size);
  if (norm.normed) {
#pragma unroll
    for (int i = 0; i < 2 * size; ++i) x[i] *= scale[0];
  }
  factors.apply(role, x);
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const Pack<T> y = pack<T>(x + s * size);
    if (side.out)
      store_pack(c.heads.output<T>(work.is_query, work.token, work.head) + role.feature[s], y);
    if (cached) store_key(c.k_cache, cached, s * apart, y, x + s * size);
  }
}

// ---- host ---------------------------------------------------------------------------------------

bool fits(const RotateIntoSide& s, int64_t size) {
  const int64_t bytes = std::min<int64_t>(size * size_of(s.weight_type), 16);
  return s.count == s.heads &&
         (!s.normed || (s.weight_step == 1 && reinterpret_cast<uintptr_t>(s.weights) % bytes == 0));
}

bool fits(const RotateIntoCall& c, int64_t size) {
  const int64_t whole = c.halves_in ? size : size / 2;
  return c.halves_in == c.halves_out && c.row_heads == 1 && c.dim % (2 * size) == 0 &&
         c.dim <= 2 * most_units * size && c.first % size == 0 && c.pairs % whole == 0 &&
         c.block_pairs % whole == 0 && c.k_cache.holds(static_cast<int>(size)) && fits(c.q, size) &&
         fits(c.k, size);
}

template <class T>
void launch_heads(const DeviceStream& stream, PackCall& c) {
  PlainSide &q = c.heads.q, &k = c.heads.k;
  q.groups = q.count, k.groups = k.count;
  const int64_t groups = q.groups + k.groups;
  c.heads.groups = Divider(std::max<int64_t>(groups, 1));
  launch_rotate_into(stream, c, pieces((c.all_tokens * groups) << c.lane_bits, pack_threads),
                     pack_threads,
                     c.halves_in ? rotate_into_by_pack<true, T> : rotate_into_by_pack<false, T>);
}

void set_packs(const RotateIntoCall& c, int64_t size, PackHeads& out) {
  out.units = static_cast<int>(c.dim / (2 * size));
  while (1 << out.lane_bits < out.units) ++out.lane_bits;
  out.first_pack = static_cast<int>(c.first / size);
  out.turning = static_cast<int>(2 * c.pairs / size);
  out.half = static_cast<int>(c.block_pairs / size);
}

}  // namespace

bool rotate_into_vectorised(const DeviceStream& stream, const RotateIntoOrder& order,
                            const RotateIntoCall& call) {
  const DType dtype = order.rotation.any().dtype;
  const int64_t size = 16 / size_of(dtype);
  PackHeads heads;
  if (!fits(call, size) || !find_sides(order.rotation, 0, heads.heads)) return false;
  set_packs(call, size, heads);
  if (rotate_into_fast(stream, order, call, heads)) return true;
  PackCall c(call, heads);
  dispatch(dtype, [&]<class T>() { launch_heads<T>(stream, c); });
  return true;
}

}  // namespace posenc::cuda
