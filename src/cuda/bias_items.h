// bias_items.h: what the weights of a form get from one bias: an entry of a profile, or a pair.
#pragma once

#include "cuda/bias_pairs.h"
#include "cuda/element_types.h"

namespace posenc::cuda {

constexpr int tile_size = 32;  // items, and heads, of a tile

struct ItemCall {
  const double* along;  // gradients [heads, items] of a profile's entries, or null: those of pairs
  int64_t first;        // the first entry's distance
  PairPlaces at;
  View dout;
  int64_t first_head, heads, items, items_each, weights;
  double factor;
  double* sums;  // [blocks, weights]
  double* work;
  int64_t workspace;
};

// Gradients of a few biases, and where these stand.
struct ItemTile {
  double g[tile_size][tile_size + 1];
  double from[tile_size], to[tile_size];
};

__device__ inline double sum_of_rows(const ItemCall& c, const ScorePair& p, int64_t head) {
  if (p.hidden || !p.exists) return 0;
  const int64_t row = p.group * c.at.rows_each, end = min(row + c.at.rows_each, c.at.rows);
  const int64_t at = head * c.dout.last[0] + p.query * c.dout.last[1] + p.key * c.dout.last[2];
  double sum = 0;
  for (int64_t r = row; r < end; ++r)
    sum += read_as<double>(c.dout.dtype, c.dout.data, c.dout.offset(r) + at);
  return sum;
}

__device__ inline void load_items(const ItemCall& c, int64_t item, int64_t first_head, int heads,
                                  ItemTile& tile) {
  const int i = static_cast<int>(threadIdx.x) % tile_size;
  item += i;
  if (item >= c.items) return;
  ScorePair p{0, 0, item, 0, static_cast<double>(c.first + item)};
  if (!c.along) p = c.at.find(item);
  if (threadIdx.x < tile_size) tile.from[i] = p.from, tile.to[i] = p.to;
  for (int h = static_cast<int>(threadIdx.x) / tile_size; h < heads;
       h += static_cast<int>(blockDim.x) / tile_size)
    tile.g[i][h] = c.factor * (c.along ? c.along[(first_head + h) * c.items + item]
                                       : sum_of_rows(c, p, first_head + h));
}

// Item number i of a tile that begins with `item`.
template <class Form>
__device__ inline ScorePair pair_of(const ItemCall& c, const ItemTile& tile, int64_t item, int i) {
  if constexpr (forms::axes_of<Form> != 1) return c.at.find(item + i);
  return {0, 0, 0, tile.from[i], tile.to[i]};
}

// What a deep network's weights get from one input: a thread for each unit, then for each weight.
template <class Form, class Add>
__device__ inline void add_deep(const Form& form, HeadRange heads, const PairPlaces& at,
                                const ScorePair& p, const double* g, double* work, const Add& add) {
  const auto& net = form.network;
  const auto inputs = inputs_of(form, at, p, work);
  for (int64_t l = net.depth - 1; l >= 0; --l) {
    for (int64_t unit = threadIdx.x; unit < net.hidden; unit += blockDim.x)
      net.backward_to(form.block, l, unit, 1, heads, g, work);
    __syncthreads();
    if (!net.norm) continue;
    for (int64_t unit = threadIdx.x; unit < net.hidden; unit += blockDim.x)
      net.backward_norm(form.block, l, unit, 1, work);
    __syncthreads();
  }
  for (int64_t l = 0; l <= net.depth; ++l) {
    const forms::Layer layer = net.layer(l);
    const HeadRange rows = l == net.depth ? heads : HeadRange{0, net.hidden};
    const double *in = net.read(l, &inputs.x, work),
                 *d = l == net.depth ? g : net.gradients(work, l);
    for (int64_t n = threadIdx.x; n < rows.count * layer.in; n += blockDim.x) {
      const Divided w = divided(n, layer.in);
      add(layer.weight + rows.first * layer.in + n, d[w.quotient] * in[w.rest]);
    }
    for (int64_t o = threadIdx.x; o < rows.count; o += blockDim.x)
      add(layer.bias + rows.first + o, d[o]);
    for (int64_t unit = threadIdx.x; l < net.depth && unit < net.hidden; unit += blockDim.x)
      net.add_norm(l, unit, 1, work, add);
  }
}

template <class Form>
inline constexpr bool has_units = requires(const Form& f) {
  f.network.hidden.out;
};

// What all weights get from one item; each weight always by the same thread.
template <class Form, class Add>
__device__ inline void add_item(const Form& form, HeadRange heads, const PairPlaces& at,
                                const ScorePair& p, const double* g, double* work, const Add& add) {
  if constexpr (has_workspace<Form>) {
    add_deep(form, heads, at, p, g, work, add);
  } else {
    const auto inputs = inputs_of(form, at, p, nullptr);
    for (int64_t h = threadIdx.x; h < heads.count; h += blockDim.x) {
      if constexpr (has_units<Form>) {
        form.head_backward({heads.first + h, 1}, inputs, g + h, add);
      } else {
        form.backward({heads.first + h, 1}, inputs, g + h, add);
      }
    }
    if constexpr (has_units<Form>)
      for (int64_t unit = threadIdx.x; unit < form.network.hidden.out; unit += blockDim.x)
        form.unit_backward(unit, heads, inputs, g, add);
  }
}

}  // namespace posenc::cuda
