// term.h: what a content scheme computes: its term for some queries of one head over all keys.
#pragma once

#include <span>

#include "base/kept.h"
#include "base/score_places.h"
#include "base/scratch.h"
#include "base/sums.h"
#include "content/plan.h"

namespace posenc::cpu {

// Rows [heads, count, dim] of all distances of a range, which a term makes from its weights.
template <class C>
struct TermRows {
  Range range;
  Scratch<C> memory;
};

// What a term knows of a call before it begins.
template <class C>
struct TermCall {
  int64_t heads, first_head;
  ScorePlaces at;
  // Where the term asks for rows: the distances of this call, and rows that hold them.
  Range range{};
  Borrowed<TermRows<C>> rows{};
};

// C is the compute type. Rows are contiguous.
template <class C>
struct TermBlock {
  const TermCall<C>& call;
  ScorePlaces at;            // of these queries and all keys
  int64_t head;              // of the model
  const C* q = nullptr;      // [queries + ahead, dim]
  const C* k = nullptr;      // [keys, dim]
  const C* gates = nullptr;  // [keys]
  int64_t ahead = 0;         // 1: q holds the next query too
  double scale = 1;          // by which scores with the term will be multiplied

  int64_t queries() const { return at.queries.tokens; }
  int64_t keys() const { return at.keys.tokens; }
  double query_at(int64_t i) const { return at.queries.value(0, i); }
  double key_at(int64_t j) const { return at.keys.value(0, j); }
};

// Sums to be added to, each nullptr where it is not read.
template <class C>
struct TermGradients {
  C* dq;           // [queries + ahead, dim]
  C* dk;           // [keys, dim]
  double* dgates;  // [keys]
  double* dsums;   // the term's own
};

// Made once, when the plan is; used by many threads.
template <class C>
class Term {
 public:
  virtual ~Term() = default;
  // Checks what only this term asks for, and finds the rows that it reads.
  virtual void start(TermCall<C>&) const {}
  // scores [queries, keys] += term.
  virtual void add(const TermBlock<C>&, C* scores) const = 0;
  // scores: as add found them. dscores [queries, keys]: the gradient of scores + term, 0 where
  // hidden; what flows back through the scores themselves (CoPE's gates) is added to it.
  virtual void backward(const TermBlock<C>&, const C* scores, C* dscores,
                        const TermGradients<C>&) const = 0;
  // How many numbers backward sums for each head, such as the table that it read.
  virtual int64_t sums(const TermCall<C>&) const { return 0; }
  // Adds those sums, [heads, sums], to the gradients of the weights.
  virtual void finish(const TermCall<C>&, const double*, Gradients) const {}
};

// sum += x.
inline void add_numbers(const double* x, int64_t count, double* sum) {
  for (int64_t n = 0; n < count; ++n) sum[n] += x[n];
}

}  // namespace posenc::cpu
