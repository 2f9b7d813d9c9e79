// serve_packs.cu: heads normed, turned and stored, 16 bytes at a time.
#include "cuda/serve_packs.h"

#include "base/dispatch.h"

namespace posenc::cuda {
namespace {

// Keys as they are stored: in their own type, or, unless kPlain, in another.
template <bool kPlain, class T, class C>
__device__ void store_key(const DeviceCache& to, char* kept, int64_t at, const Pack<T>& y,
                          const C* x) {
  if (kPlain || to.dtype == dtype_of<T>) {
    store_pack(reinterpret_cast<T*>(kept) + at, y);
  } else {
    write_numbers<Pack<T>::size>(to.dtype, kept, at, x);
  }
}

// Everything is on its way before any of it is used: features, slots, angles and weights. kPlain: q
// and k turn alike by plain angles; weights and the cache are of their type.
template <int kHeads, bool kHalves, bool kPlain, class T>
__global__ void __launch_bounds__(pack_threads, sizeof(T) == 8 ? 2 : 4)
    serve_heads(const __grid_constant__ PackCall c) {
  using C = Compute<T>;
  constexpr int size = Pack<T>::size;
  if (blockIdx.x >= c.head_blocks) return store_values<T>(c);
  const int unit = static_cast<int>(threadIdx.x) & ((1 << c.lane_bits) - 1);
  const Role role = role_of<kHalves, size>(c, min(unit, c.units - 1));
  const int64_t group = (blockIdx.x * int64_t{pack_threads} + threadIdx.x) >> c.lane_bits;
  const Work work = work_of<kHeads>(c, group, unit >= c.units);
  const PlainSide& side = work.is_query ? c.heads.q : c.heads.k;
  const ServeSide& norm = work.is_query ? c.q : c.k;
  const int apart = role.feature[1] - role.feature[0], in_head = side.in_head;
  const T* from = c.heads.input<T>(work.is_query, work.token, work.head) + role.feature[0];
  wait_for_inputs();

  Weights<kPlain, T> weights;
  weights.load(norm, role);
  Pack<T> raw[kHeads][2];
#pragma unroll
  for (int h = 0; h < kHeads; ++h, from += in_head) {
    raw[h][0].all = raw[h][1].all = uint4{};
    if (h < work.heads) raw[h][0] = load_pack(from), raw[h][1] = load_pack(from + apart);
  }
  Factors<kHalves, size, C> factors;
  find_angles<kHalves, kPlain, size>(c, work, role, factors.a, factors.b);
  Slot slot;
  char* kept = nullptr;  // where they go in the cache
  const int64_t row = work.token.quotient, token = work.token.rest;
  if (!work.is_query && c.k_cache.given && work.heads > 0 &&
      c.slots.find(c.slots.read(row, token), row, token, slot))
    kept = c.k_cache.data + (c.k_cache.at(slot, work.head) + role.feature[0]) * c.k_cache.size;
  C weight[2 * size], scale[kHeads];
  weights.get(norm, c.plus.as<C>(), weight);
  const bool warms = !kPlain && work.is_query && c.angles.magnitudes.has_temperature;
  factors.set(role, weight, warms ? static_cast<C>(c.angles.passing(row, token)) : 1);
  if (c.norms) find_scales<kHeads>(c, raw, scale);
  const bool writes = side.out != nullptr, scales = norm.normed;
  T* to =
      writes ? c.heads.output<T>(work.is_query, work.token, work.head) + role.feature[0] : nullptr;
  const int out_head = writes ? side.out_head : 0;
#pragma unroll
  for (int h = 0; h < kHeads; ++h, to += out_head) {
    if (h >= work.heads) break;
    C x[2 * size];
    unpack(raw[h][0], x), unpack(raw[h][1], x + size);
    if (scales) {
#pragma unroll
      for (int i = 0; i < 2 * size; ++i) x[i] *= scale[h];
    }
    factors.apply(role, x);
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const Pack<T> y = pack<T>(x + s * size);
      if (writes) store_pack(to + s * apart, y);
      if (kept) store_key<kPlain>(c.k_cache, kept, h * c.k_cache.head + s * apart, y, x + s * size);
    }
  }
}

// ---- host ---------------------------------------------------------------------------------------

bool fits(const ServeSide& s, int64_t size) {
  const int64_t bytes = std::min<int64_t>(size * size_of(s.weight_type), 16);
  return s.count == s.heads &&
         (!s.normed || (s.weight_step == 1 && reinterpret_cast<uintptr_t>(s.weights) % bytes == 0));
}

bool fits(const ServeCall& c, int64_t size) {
  const int64_t whole = c.halves_in ? size : size / 2;
  return c.halves_in == c.halves_out && c.row_heads == 1 && c.dim % (2 * size) == 0 &&
         c.dim <= 2 * most_units * size && c.first % size == 0 && c.pairs % whole == 0 &&
         c.block_pairs % whole == 0 && c.k_cache.holds(static_cast<int>(size)) && fits(c.q, size) &&
         fits(c.k, size);
}

template <int kHeads, bool kPlain, class T>
void launch_heads(const Place& place, PackCall& c) {
  PlainSide &q = c.heads.q, &k = c.heads.k;
  q.groups = static_cast<int>(pieces(q.count, kHeads));
  k.groups = static_cast<int>(pieces(k.count, kHeads));
  const int64_t groups = q.groups + k.groups;
  c.heads.groups = Divider(std::max<int64_t>(groups, 1));
  launch_serve(
      place, c, pieces((c.all_tokens * groups) << c.lane_bits, pack_threads), pack_threads,
      c.halves_in ? serve_heads<kHeads, true, kPlain, T> : serve_heads<kHeads, false, kPlain, T>);
}

// Whether the cache, and the weights of norms, are of the type of the heads.
bool are_alike(const ServeCall& c, DType own) {
  return (!c.k_cache.given || c.k_cache.dtype == own) && (!c.q.normed || c.q.weight_type == own) &&
         (!c.k.normed || c.k.weight_type == own);
}

template <class T>
void serve_as(const Place& place, PackCall& c, bool plain) {
  constexpr int size = Pack<T>::size;
  c.units = static_cast<int>(c.dim / (2 * size));
  while (1 << c.lane_bits < c.units) ++c.lane_bits;
  c.first_pack = static_cast<int>(c.first / size);
  c.turning = static_cast<int>(2 * c.pairs / size);
  c.half = static_cast<int>(c.block_pairs / size);
  if constexpr (sizeof(T) < 8)
    if (plain && are_alike(c, dtype_of<T>)) {
      const int64_t threads = c.all_tokens * ((c.q.heads + c.k.heads) << c.lane_bits);
      return threads >= int64_t{place.processors()} * 4096 ? launch_heads<8, true, T>(place, c)
                                                           : launch_heads<1, true, T>(place, c);
    }
  launch_heads<1, false, T>(place, c);
}

}  // namespace

bool serve_packs(const Place& place, const TurnOrder& turn, const ServeCall& call) {
  const DType dtype = turn.any().dtype;
  PackCall c(call);
  if (!fits(c, 16 / size_of(dtype)) || !find_sides(turn, 0, c.heads)) return false;
  const bool plain = find_plain_angles(place, turn, c.heads.angles);
  dispatch(dtype, [&]<class T>() { serve_as<T>(place, c, plain); });
  return true;
}

}  // namespace posenc::cuda
