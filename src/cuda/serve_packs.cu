// serve_packs.cu: heads normed, turned and stored, 16 bytes at a time.
#include "cuda/serve_packs.h"

#include "base/dispatch.h"

namespace posenc::cuda {
namespace {

template <int kHeads, bool kHalves, class T>
__global__ void __launch_bounds__(most_threads, sizeof(T) == 8 ? 3 : 4)
    serve_heads(const __grid_constant__ PackCall c) {
  using C = Compute<T>;
  constexpr int size = Pack<T>::size;
  constexpr bool is_plain = kHeads > 1;  // q and k turn alike, and the cache is of their type
  __shared__ Shared<T> shared;
  if (blockIdx.x >= c.head_blocks) return store_values<T>(c);
  const Divided block = c.parts == 1 ? Divided{blockIdx.x, 0} : divided(blockIdx.x, c.parts);
  const int64_t first = block.quotient * c.together;
  const int unit = static_cast<int>(threadIdx.x) & ((1 << c.lane_bits) - 1);
  const Role role = role_of<kHalves, size>(c, min(unit, c.units - 1));
  const Work work = work_of<kHeads>(c, first, static_cast<int>(block.rest), unit);
  const ServeSide& side = work.is_query ? c.q : c.k;
  const int apart = role.feature[1] - role.feature[0];

  const T* from = find<T>(side.in, work, role);
  Pack<T> raw[kHeads][2];
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    raw[h][0].all = raw[h][1].all = uint4{};
    if (h >= work.heads) continue;
    raw[h][0] = load_pack(from + h * side.in.last[1]);
    raw[h][1] = load_pack(from + h * side.in.last[1] + apart);
  }
  T* const to = side.writes ? find<T>(side.out, work, role) : nullptr;
  Slot slot;
  char* kept = nullptr;  // the same in the cache
  if (!work.is_query && c.k_cache.given && work.heads > 0 &&
      c.slots.find(work.row, work.token, slot))
    kept = c.k_cache.data + (c.k_cache.at(slot, work.head) + role.feature[0]) * c.k_cache.size;
  find_angles<!is_plain>(c, first, shared);
  find_weights<T>(c, shared);
  __syncthreads();

  const bool own = !is_plain && c.angles.adjusts && !work.is_query;
  const int row = (work.here + (own ? c.together : 0)) * static_cast<int>(c.pairs);
  C cosine[size], sine[size], weight[2][size];
  read_angles<kHalves, size>(shared.cosine + row, role, cosine);
  read_angles<kHalves, size>(shared.sine + row, role, sine);
#pragma unroll
  for (int s = 0; s < 2; ++s)
    read_numbers_of<C, size>(shared.weight[work.is_query ? 0 : 1], role.feature[s], weight[s]);
  const bool warms = !is_plain && work.is_query && c.angles.magnitudes.has_temperature;
  const C warmth = warms ? shared.warmth[work.here] : 1;
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    C x[2][size];
    unpack(raw[h][0], x[0]), unpack(raw[h][1], x[1]);
    const C scale = c.norms ? find_scale(c, x) : 1;
    if (h >= work.heads) continue;
    if (side.normed) {
#pragma unroll
      for (int i = 0; i < 2 * size; ++i)
        x[i / size][i % size] *= scale * weight[i / size][i % size];
    }
    turn_packs<kHalves, size>(role, work.turning >> h & 1, cosine, sine, warmth, x);
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const Pack<T> y = pack<T>(x[s]);
      if (to) store_pack(to + h * side.out.last[1] + s * apart, y);
      if (!kept) continue;
      const int64_t at = h * c.k_cache.head + s * apart;
      if (is_plain || c.k_cache.dtype == dtype_of<T>) {
        store_pack(reinterpret_cast<T*>(kept) + at, y);
      } else {
        write_numbers<size>(c.k_cache.dtype, kept, at, x[s]);
      }
    }
  }
}

// ---- host ---------------------------------------------------------------------------------------

bool fits(const ServeSide& s) {
  return s.heads == 0 || (s.in.aligned(3) && (!s.writes || s.out.aligned(3)));
}

bool fits(const ServeCall& c, int64_t size) {
  const int64_t whole = c.halves_in ? size : size / 2;
  return c.halves_in == c.halves_out && c.row_heads == 1 && c.dim % (2 * size) == 0 &&
         c.dim <= 2 * most_units * size && c.first % size == 0 && c.pairs % whole == 0 &&
         c.block_pairs % whole == 0 && 2 * c.pairs <= most_pairs &&
         c.k_cache.holds(static_cast<int>(size)) && fits(c.q) && fits(c.k);
}

template <int kHeads, class T>
void launch_heads(const Place& place, PackCall& c) {
  c.q_groups = static_cast<int>(pieces(c.q.heads, kHeads));
  c.groups = c.q_groups + static_cast<int>(pieces(c.k.heads, kHeads));
  const int64_t threads = int64_t{c.groups} << c.lane_bits,
                rows = c.pairs * (c.angles.adjusts ? 2 : 1);
  c.parts = static_cast<int>(std::max<int64_t>(1, pieces(threads, most_threads)));
  c.groups_here = static_cast<int>(std::max<int64_t>(1, pieces(c.groups, c.parts)));
  const int64_t wanted = pieces(128, c.groups_here << c.lane_bits);
  const int64_t most = std::min<int64_t>(most_tokens, most_pairs / std::max<int64_t>(rows, 1));
  c.together = static_cast<int>(c.parts > 1 ? 1 : std::min(wanted, most));
  const int64_t all = int64_t{c.together} * c.groups_here << c.lane_bits;
  const int64_t blocks = c.groups == 0 ? 0 : pieces(c.all_tokens, c.together) * c.parts;
  launch_serve(place, c, blocks, static_cast<unsigned>(pieces(all, 32) * 32),
               c.halves_in ? serve_heads<kHeads, true, T> : serve_heads<kHeads, false, T>);
}

template <class T>
bool serve_as(const Place& place, PackCall& c) {
  constexpr int size = Pack<T>::size;
  if (!fits(c, size)) return false;
  c.units = static_cast<int>(c.dim / (2 * size));
  while (1 << c.lane_bits < c.units) ++c.lane_bits;
  c.first_pack = static_cast<int>(c.first / size);
  c.turning = static_cast<int>(2 * c.pairs / size);
  c.half = static_cast<int>(c.block_pairs / size);
  const int64_t threads = c.all_tokens * ((c.q.heads + c.k.heads) << c.lane_bits);
  const bool many = threads >= int64_t{place.processors()} * 4096;
  const bool alike = !c.angles.adjusts && (!c.k_cache.given || c.k_cache.dtype == dtype_of<T>);
  if (many && alike) {
    launch_heads<4, T>(place, c);
  } else {
    launch_heads<1, T>(place, c);
  }
  return true;
}

}  // namespace

bool serve_packs(const Place& place, const ServeCall& call, DType dtype) {
  PackCall c(call);
  return dispatch(dtype, [&]<class T>() { return serve_as<T>(place, c); });
}

}  // namespace posenc::cuda
