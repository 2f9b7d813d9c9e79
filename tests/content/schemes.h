// schemes.h: one of each kind of term that is a table of distances, with small sizes and 3 heads.
#pragma once

#include "tests/content/formulas.h"

namespace posenc {

inline std::vector<Content> small_schemes() {
  const Sinusoidal halves{.dim = 6, .order = Order::halves}, interleaved{.dim = 8};
  return {Shaw{.dim = 6, .left = 3, .right = 2},
          Shaw{.dim = 5, .heads = 3, .left = 3, .right = 2, .beyond = Beyond::zero},
          MusicTransformer{.dim = 6, .heads = 3, .length = 12},
          TransformerXl{.dim = 5, .heads = 3, .sinusoids = halves},
          TransformerXl{.dim = 5, .heads = 3, .sinusoids = interleaved, .clamp_len = 4},
          TransformerXl{.dim = 4, .heads = 3, .sinusoids = halves, .biases = false},
          Deberta{.dim = 6, .heads = 3, .buckets = 8, .max_distance = 16},
          Deberta{.dim = 5, .heads = 3, .buckets = 0, .max_distance = 7}};
}

inline Sum any_term(const Content& scheme, const Stand& t, const At& a) {
  return std::visit(
      [&](const auto& s) -> Sum {
        if constexpr (requires { term(s, t, a); }) return term(s, t, a);
        ADD_FAILURE() << "no formula for " << s.name;
        return {};
      },
      scheme);
}

}  // namespace posenc
