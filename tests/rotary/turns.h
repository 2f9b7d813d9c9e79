// turns.h: rotary schemes of every kind, heads for them, and how far a turned head may be off.
#pragma once

#include "tests/support/gradient.h"
#include "tests/support/rotation.h"

namespace posenc {

inline double norm(const std::vector<double>& x) { return std::sqrt(product(x, x)); }

// How far a turned head may be from the truth, for each unit of its norm: cosine and sine are each
// off by the error of a row (together by its square root of 2), then two products and a sum round.
inline double turn_error(DType dtype, double m) {
  return std::sqrt(2.0) * row_error(compute_type(dtype), m, m) + 2.01 * unit(dtype) * m;
}

inline const std::vector<Rope>& ropes() {
  static const std::vector<Rope> all = [] {
    const LogTemperature warm{.scale = 0.3, .floor = 4};
    std::vector<Rope> out;
    for (const Layout l : all_layouts)
      for (const Rope& rope : std::vector<Rope>{
               {.dim = 96, .layout = l},
               {.dim = 96, .layout = l, .rotary_dim = 26, .rotary_offset = -30},
               {.dim = 24, .layout = l, .blocks = 2, .sign = Sign::negative},
               {.dim = 96, .layout = l, .scaling = Yarn{.factor = 40}},
               {.dim = 24, .layout = l, .scaling = Yarn{.factor = 9, .attention_factor = 0.3}},
               {.dim = 24, .layout = l, .rotary_dim = 20, .decay = XPos{}},
               {.dim = 24, .layout = l, .rotary_dim = 20, .temperature = warm},
               {.dim = 24,
               .layout = l,
               .scaling = Yarn{.factor = 9},
               .decay = XPos{},
               .temperature = warm}})
        out.push_back(rope);
    return out;
  }();
  return all;
}

struct Heads {
  Array q, k;
  QueriesKeys view() const { return {q.view(), k.view()}; }
};
inline Heads random_heads(DType dtype, const std::vector<int64_t>& shape, int64_t key_heads,
                          Random& random) {
  auto fewer = shape;
  fewer[fewer.size() - 2] = key_heads;
  Heads out{make_array(dtype, shape), make_array(dtype, fewer)};
  randomize(out.q.view(), random, -2, 2), randomize(out.k.view(), random, -2, 2);
  return out;
}

}  // namespace posenc
