// bias_pairs.h: pairs of a query and a key, and what a formula makes of them.
#pragma once

#include "cuda/views.h"
#include "orders/orders.h"
#include "relative/formula.h"

namespace posenc::cuda {

// Forms whose places take work, which a block does together.
template <class Form>
inline constexpr bool has_workspace = requires(const Form& f) {
  f.workspace();
};

// ScorePair number n of some batch rows. What the form is given is a query and a key, or 0 and an
// entry.
struct ScorePair {
  int64_t group, query, key;
  double from = 0, to = 0;
  bool hidden = false, exists = true;
};

struct PairPlaces {
  DevicePlaces query_places, key_places;
  int64_t queries = 0, keys = 0, rows = 1;
  int64_t groups = 1, rows_each = 1;  // batch rows that go together, and how many
  bool causal = false, in_window = false, by_key = false;
  WindowEntries window{};
  int64_t tokens = 0;  // of the window

  PairPlaces() = default;
  PairPlaces(const ScorePlaces& at, const BiasSource& bias)
      : query_places(at.queries),
        key_places(at.keys),
        queries(at.queries.tokens),
        keys(at.keys.tokens),
        rows(at.rows),
        causal(at.causal),
        in_window(bias.reads == Reads::entry),
        by_key(bias.reads == Reads::key) {
    if (in_window) window = bias.formula->window, tokens = window.tokens();
    if (at.queries.axes() == 1) query_places.axis = 0;  // which serves all axes
    if (at.keys.axes() == 1) key_places.axis = 0;
  }

  __host__ __device__ int64_t all() const { return groups * queries * keys; }
  __device__ ScorePair find(int64_t n) const {
    const Divided by_key = divided(n, keys), by_query = divided(by_key.quotient, queries);
    ScorePair p{by_query.quotient, by_query.rest, by_key.rest};
    const int64_t row = p.group * rows_each;
    p.from = query_places.value(0, row, p.query), p.to = key_places.value(0, row, p.key);
    p.hidden = causal && p.to > p.from;
    if (in_window) {
      const auto end = static_cast<double>(tokens);
      p.exists = p.from >= 0 && p.from < end && p.to >= 0 && p.to < end;
      const int64_t q = static_cast<int64_t>(p.from), k = static_cast<int64_t>(p.to);
      p.from = 0, p.to = p.exists ? static_cast<double>(window.entry(q, k)) : 0;
    }
    return p;
  }
  // Where a pair stands on an axis.
  __device__ void read(const ScorePair& p, int64_t axis, double& from, double& to) const {
    const int64_t row = p.group * rows_each;
    from = query_places.value(axis, row, p.query), to = key_places.value(axis, row, p.key);
  }
  // The distance or the key, of whole positions.
  __device__ int64_t line(const ScorePair& p) const {
    return static_cast<int64_t>(by_key ? p.to : p.to - p.from);
  }
};

// What the biases of a pair depend on; with a workspace, all threads of a block make it together.
template <class Form>
__device__ inline auto inputs_of(const Form& form, const PairPlaces& at, const ScorePair& p,
                                 double* work) {
  if constexpr (forms::axes_of<Form> != 1) {
    double from[forms::axes_of<Form>], to[forms::axes_of<Form>];
    for (int a = 0; a < forms::axes_of<Form>; ++a) at.read(p, a, from[a], to[a]);
    return form.at(from, to, work);
  } else if constexpr (has_workspace<Form>) {
    const typename Form::Inputs inputs{form.input(p.from, p.to), work};
    __syncthreads();  // nobody reads the inputs before this one
    for (int64_t l = 0; l < form.network.depth; ++l) {
      for (int64_t unit = threadIdx.x; unit < form.network.hidden; unit += blockDim.x)
        form.network.run(form.block, l, unit, 1, &inputs.x, work);
      if (form.network.norm) __syncthreads();
      for (int64_t unit = threadIdx.x; unit < form.network.hidden; unit += blockDim.x)
        form.network.activate(form.block, l, unit, 1, work);
      __syncthreads();
    }
    return inputs;
  } else {
    return form.at(p.from, p.to, work);
  }
}

}  // namespace posenc::cuda
