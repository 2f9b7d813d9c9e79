// schemes.h: small ones of every kind of term, for 3 heads.
#pragma once

#include "tests/content/cope.h"
#include "tests/content/deberta.h"
#include "tests/content/decomposed.h"
#include "tests/content/forgetting.h"
#include "tests/content/forgetting_rows.h"
#include "tests/content/gated_t5.h"
#include "tests/content/kerple_weight.h"
#include "tests/content/music_transformer.h"
#include "tests/content/segments.h"
#include "tests/content/shaw.h"
#include "tests/content/transformer_xl.h"

namespace posenc {

// Its defaults, where its file above says nothing else.
template <class S>
requires std::is_constructible_v<Content, S> std::vector<Content> small(const S&) {
  S scheme;
  if constexpr (requires { scheme.heads = 3; }) scheme.heads = 3;
  return {scheme};
}

inline std::vector<Content> small_schemes() {
  std::vector<Content> out;
  for_each_alternative<Content>([&](const auto& s) {
    for (const Content& scheme : small(s)) out.push_back(scheme);
  });
  return out;
}

// Whether it sums from key to key, in the order of their positions.
inline bool sums_keys(const Content& scheme) {
  return std::holds_alternative<Forgetting>(scheme) ||
         std::holds_alternative<ForgettingRows>(scheme);
}

// What add() gives in f64 for that query and key alone, of numbers from -1 to 1.
inline Sum term_of_pair(const Stand& t, const At& a) {
  std::vector<double> q, k;
  for (int64_t c = 0; c < t.dim; ++c) {
    q.push_back(t.q_at(a.row, a.query, a.head, c));
    k.push_back(t.k_at(a.row, a.key, a.head, c));
  }
  double gate = t.gate_at(a.row, a.key, a.head), out = 0;
  add(t.plan,
      {tensor(q.data(), {1, 1, 1, t.dim}), tensor(k.data(), {1, 1, 1, t.dim}),
       tensor(&gate, {1, 1, 1})},
      tensor(&out, {1, 1, 1, 1}),
      {.queries = range(a.query_at), .keys = range(a.key_at), .first_head = a.model_head});
  const auto length = static_cast<double>(t.dim);
  return {out, std::abs(out) + 2 * length, length};
}

// By its formula; of a scheme whose file above has none, one that looks at pairs alone.
inline Sum any_term(const Content& scheme, const Stand& t, const At& a) {
  return std::visit(
      [&](const auto& s) {
        if constexpr (requires { term(s, t, a); })
          return term(s, t, a);
        else
          return term_of_pair(t, a);
      },
      scheme);
}

}  // namespace posenc
