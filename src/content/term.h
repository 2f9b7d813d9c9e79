// term.h: what a content scheme computes: its term for some queries of one head over all keys.
#pragma once

#include "posenc/content.h"

namespace posenc {

// The heads of a call, and how far keys stand from queries (key - query).
struct TermCall {
  int64_t heads, first_head;
  int64_t queries, keys;
  double least, most;
};

// C is the compute type. Rows are contiguous.
template <class C>
struct TermBlock {
  int64_t head;  // of the model
  int64_t queries, keys, dim;
  int64_t ahead;           // 1: q holds the next query too
  const C* q;              // [queries + ahead, dim], or nullptr
  const C* k;              // [keys, dim], or nullptr
  const C* gates;          // [keys], or nullptr
  const double* query_at;  // [queries]
  const double* key_at;    // [keys]
  bool causal;             // keys after the query will be hidden
  double scale;            // by which scores with the term will be multiplied
};

// Sums to be added to, each nullptr where it is not read.
template <class C>
struct TermGradients {
  C* dq;                // [queries + ahead, dim]
  C* dk;                // [keys, dim]
  double* dgates;       // [keys]
  WeightValues& dsums;  // one list for each of the term's sums
};

template <class C>
struct Term {
  // scores [queries, keys] += term.
  std::function<void(const TermBlock<C>&, C* scores)> add{};
  // scores: as add found them. dscores [queries, keys]: the gradient of scores + term, 0 where
  // hidden; what flows back through the scores themselves (CoPE's gates) is added to it.
  std::function<void(const TermBlock<C>&, const C* scores, C* dscores, const TermGradients<C>&)>
      backward{};
  // Lengths of the lists that backward sums for each head, such as the table that it read.
  std::vector<int64_t> sums{};
  // Adds those sums, of all heads of a call, to the gradients of the weights.
  std::function<void(const std::vector<WeightValues>& dsums, WeightValues& dweights)> finish{};
};

// One list of numbers for each of the scheme's weights(), in row-major order.
template <class C>
using WeightLists = std::vector<std::vector<C>>;

// Each scheme S of the list specialises it in src/content/<scheme>.cc for float and double. The
// weights outlive the term.
template <class C, class S>
Term<C> make_term(const S& scheme, const WeightLists<C>& weights, const TermCall& call);

}  // namespace posenc
