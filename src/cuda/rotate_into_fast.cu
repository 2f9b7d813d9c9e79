// rotate_into_fast.cu: the fast path of rotate_into, which most models take: plain angles, weights
// and caches of the type of the heads, 16 bytes at a time.
#include "cuda/rotate_into_fast.h"

#include "base/dispatch.h"

namespace posenc::cuda {
namespace {

// How many heads, and how many of values, a thread takes; threads of a block, and of those that a
// multiprocessor holds at once.
template <int kHeads, int kValues, int kThreads, int kResident>
struct Together {
  static constexpr int heads = kHeads, values = kValues, threads = kThreads, resident = kResident;
};

// Everything is on its way before any of it is used: positions and slots, by which more is found,
// first, then weights and features, then angles that are kept.
template <class How, bool kHalves, bool kKept, class T>
__global__ void __launch_bounds__(How::threads, How::resident / How::threads)
    rotate_into_plainly(const __grid_constant__ PlainRotateInto c) {
  constexpr int size = Pack<T>::size, parts = kHalves ? 1 : 2, count = size / parts;
  constexpr int most = How::heads;
  if (blockIdx.x >= c.head_blocks) return store_plain_values<How::values, T>(c);
  const int unit = static_cast<int>(threadIdx.x) & ((1 << c.lane_bits) - 1);
  const Role role = role_of<kHalves, size>(c, min(unit, c.units - 1));
  const int64_t group = (blockIdx.x * int64_t{How::threads} + threadIdx.x) >> c.lane_bits;
  const Work work = work_of<most>(c, group, unit >= c.units);
  const PlainSide& side = work.is_query ? c.heads.q : c.heads.k;
  const PlainAngles& angles = c.heads.angles;
  const void* weights = work.is_query ? c.q_weights : c.k_weights;
  const int apart = role.feature[1] - role.feature[0], in_head = side.in_head;
  const T* from = c.heads.input<T>(work.is_query, work.token, work.head) + role.feature[0];
  Integer place = angles.place(work.token, from), said = c.slot(work.token, from);
  wait_for_inputs();

  place.ask(), said.ask();
  Pack<T> weight[2], raw[most][2];
  if (weights)
#pragma unroll
    for (int s = 0; s < 2; ++s)
      weight[s] = load_pack(static_cast<const T*>(weights) + role.feature[s]);
#pragma unroll
  for (int h = 0; h < most; ++h, from += in_head) {
    raw[h][0].all = raw[h][1].all = uint4{};
    if (h < work.heads) raw[h][0] = load_pack(from), raw[h][1] = load_pack(from + apart);
  }
  const int64_t position = angles.position(work.token, place);
  Factors<kHalves, size, float> factors;
#pragma unroll
  for (int s = 0; s < parts; ++s)
    load_kept<kKept, count>(angles, position, role.turns[s] ? role.pair[s] : 0,
                            factors.a + s * count, factors.b + s * count);
  float scale[most];
  if (c.q_weights || c.k_weights)
    find_scales<most>(c.lane_bits, c.one_of_dim, c.epsilon, raw, scale);
#pragma unroll
  for (int s = 0; s < parts; ++s)
    if (role.turns[s] && !angles.keeps<kKept>(position))
      make_angles<kKept, count>(angles, position, role.pair[s], factors.a + s * count,
                                factors.b + s * count);
  Slot slot;
  T* cached = nullptr;  // where they go in the cache
  if (!work.is_query && c.k_cache.data && work.heads > 0 && c.find(said, work.token, slot))
    cached = c.k_cache.at<T>(slot, work.head) + role.feature[0];
  float factor[2 * size];
  unpack(weight[0], factor), unpack(weight[1], factor + size);
#pragma unroll
  for (int i = 0; i < 2 * size; ++i) factor[i] = weights ? factor[i] + c.plus : 1;
  factors.set(role, factor, 1);
  T* to = side.out ? c.heads.output<T>(work.is_query, work.token, work.head) + role.feature[0]
                   : nullptr;
#pragma unroll
  for (int h = 0; h < most; ++h) {
    if (h >= work.heads) break;
    float x[2 * size];
    unpack(raw[h][0], x), unpack(raw[h][1], x + size);
    if (weights) {
#pragma unroll
      for (int i = 0; i < 2 * size; ++i) x[i] *= scale[h];
    }
    factors.apply(role, x);
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const Pack<T> y = pack<T>(x + s * size);
      if (to) store_pack(to + h * static_cast<int64_t>(side.out_head) + s * apart, y);
      if (cached) store_pack(cached + h * c.k_cache.head + s * apart, y);
    }
  }
}

// ---- host ---------------------------------------------------------------------------------------

template <class How, class T>
void launch_plainly(const DeviceStream& stream, PlainRotateInto& c, bool halves) {
  PlainSide &q = c.heads.q, &k = c.heads.k;
  q.groups = static_cast<int>(pieces(q.count, How::heads));
  k.groups = static_cast<int>(pieces(k.count, How::heads));
  const int64_t groups = q.groups + k.groups, v_groups = pieces(c.v.count, How::values);
  c.heads.groups = Divider(std::max<int64_t>(groups, 1));
  c.v_groups = Divider(std::max<int64_t>(v_groups, 1));
  const int64_t blocks = pieces((c.heads.all_tokens * groups) << c.lane_bits, How::threads);
  const int64_t all = blocks + pieces(c.heads.all_tokens * v_groups * c.v_units.d, How::threads);
  if (all > INT32_MAX) fail("cuda", "expected work of fewer than 2^31 blocks, got ", all);
  c.head_blocks = static_cast<unsigned>(blocks);
  const bool kept = c.heads.angles.kept_rows > 0;
  launch_early(stream, "rotate_into", {dim3(static_cast<unsigned>(all)), How::threads},
               halves ? kept ? rotate_into_plainly<How, true, true, T>
                             : rotate_into_plainly<How, true, false, T>
               : kept ? rotate_into_plainly<How, false, true, T>
                      : rotate_into_plainly<How, false, false, T>,
               c);
}

// One head a thread where tokens are few, in small blocks where they are very few; several, which
// share angles and weights, where enough threads are left.
template <class T>
void launch_fast(const DeviceStream& stream, PlainRotateInto& c, bool halves) {
  const int64_t threads = c.heads.all_tokens * ((c.heads.q.count + c.heads.k.count) << c.lane_bits);
  const int64_t each = threads / stream.processors();
  each < 256    ? launch_plainly<Together<1, 1, 64, 768>, T>(stream, c, halves)
  : each < 1024 ? launch_plainly<Together<1, 2, 128, 768>, T>(stream, c, halves)
                : launch_plainly<Together<4, 8, 64, 640>, T>(stream, c, halves);
}

// Whether caches and weights are of the type of the heads, and values move by packs.
bool is_plain(const RotateIntoCall& c, DType own) {
  const auto alike = [&](bool given, DType type) { return !given || type == own; };
  return alike(c.k_cache.given, c.k_cache.dtype) && alike(c.v_cache.given, c.v_cache.dtype) &&
         alike(c.q.normed, c.q.weight_type) && alike(c.k.normed, c.k.weight_type) &&
         (c.value_heads == 0 || c.value_packs);
}

}  // namespace

bool rotate_into_fast(const DeviceStream& stream, const RotateIntoOrder& order,
                      const RotateIntoCall& call, const PackHeads& heads) {
  const DType dtype = order.rotation.any().dtype;
  PlainRotateInto c;
  static_cast<PackHeads&>(c) = heads;
  if (dtype == DType::f64 || !is_plain(call, dtype) ||
      !find_side({order.v, {}, 0, call.value_heads}, 0, c.v) ||
      !find_plain_angles(stream, order.rotation, c.heads.angles))
    return false;
  if (call.q.normed) c.q_weights = call.q.weights;
  if (call.k.normed) c.k_weights = call.k.weights;
  c.one_of_dim = call.one_of_dim.f32, c.epsilon = call.epsilon.f32, c.plus = call.plus.f32;
  c.k_cache = PlainCache(call.k_cache), c.v_cache = PlainCache(call.v_cache);
  c.slots = call.slots, c.v_units = Divider(std::max<int64_t>(call.value_units, 1));
  dispatch(dtype, [&]<class T>() {
    if constexpr (sizeof(T) < 8) launch_fast<T>(stream, c, call.halves_in);
  });
  return true;
}

}  // namespace posenc::cuda
