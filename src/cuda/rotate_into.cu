// rotate_into.cu: normalises, rotates and stores heads in one launch: fills the parameters and
// chooses the kernel.
#include "cuda/rotate_into.h"

namespace posenc::cuda {
namespace {

RotateIntoSide side_of(const RotaryHeads& h, const Tensor& weights) {
  RotateIntoSide out;
  if (h.in.rank == 0) return out;
  out.in = View(h.in, 3), out.writes = h.out.rank > 0;
  if (out.writes) out.out = View(h.out, 3);
  out.heads = h.in.size(-2), out.first = h.first, out.count = h.count;
  if (weights.rank > 0)
    out.normed = true, out.weights = weights.data, out.weight_type = weights.dtype,
    out.weight_step = weights.step(0);
  return out;
}

void set_span(RotateIntoCall& c, const RotarySpan& span) {
  c.dim = span.dim, c.first = span.first, c.pairs = span.pairs;
  c.block_pairs = span.pairs / span.blocks;
  c.halves_in = span.layout == Layout::half, c.halves_out = span.layout != Layout::interleaved;
  if (span.pairs == 0) c.q.count = c.k.count = 0;
}

void set_values(RotateIntoCall& c, const Tensor& v) {
  if (v.rank == 0) return;
  const int64_t dim = v.size(-1), size = 16 / size_of(v.dtype);
  c.v = View(v, 3), c.value_heads = v.size(-2);
  c.value_packs = dim % size == 0 && c.v.aligned(3) && c.v_cache.holds(static_cast<int>(size));
  c.value_units = c.value_packs ? dim / size : dim;
  c.value_groups = pieces(c.value_heads, values_together);
}

}  // namespace

void run(const RotateIntoOrder& order) {
  const RotateOrder& rotation = order.rotation;
  const Tensor& any = rotation.any();
  const DeviceStream stream(any, order.stream);
  RotateIntoCall c;
  c.tokens = rotation.at.tokens, c.all_tokens = View(any, 3).rows * c.tokens;
  if (c.all_tokens == 0) return;
  c.q = side_of(rotation.q, order.norm.q), c.k = side_of(rotation.k, order.norm.k);
  c.norms = c.q.normed || c.k.normed, c.row_heads = rotation.row_heads;
  c.one_of_dim = 1.0 / static_cast<double>(rotation.span.dim);
  c.epsilon = order.norm.epsilon, c.plus = order.norm.one_plus ? 1 : 0;
  c.k_cache = DeviceCache(order.k_cache), c.v_cache = DeviceCache(order.v_cache);
  c.slots = DeviceSlots(order.places);
  c.angles = angles_of(stream, rotation);
  set_span(c, rotation.span), set_values(c, order.v);
  if (!rotate_into_vectorised(stream, order, c)) rotate_into_scalar(stream, c, any.dtype);
}

}  // namespace posenc::cuda
