// term.h: what the form of a content term does for some queries of one head over all keys.
#pragma once

#include <span>

#include "base/score_places.h"
#include "base/sums.h"
#include "content/plan.h"
#include "orders/orders.h"

namespace posenc::cpu {

// What a term knows of a call before it begins.
template <class C>
struct TermCall {
  const ContentPlan::Parts& plan;
  int64_t heads, first_head;
  ScorePlaces at;
  // Where sinusoids are projected: the distances of this call, and rows that hold them.
  Range range{};
  Borrowed<ProjectedRows<C>> rows{};

  const C* weight(int n) const { return plan.typed<C>().weights[static_cast<size_t>(n)].data(); }
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

// Checks what only this term asks for, and finds the rows that it reads.
template <class C>
TermCall<C> start_call(const TermSource& source, const ScorePlaces& at);
// scores [queries, keys] += term.
template <class C>
void add_term(const TermBlock<C>& b, C* scores);
// scores: as add_term found them. dscores [queries, keys]: the gradient of scores + term, 0 where
// hidden; what flows back through the scores themselves (gates of scores) is added to it.
template <class C>
void term_backward(const TermBlock<C>& b, const C* scores, C* dscores, const TermGradients<C>& to);
// How many numbers term_backward sums for each head, such as the table that it read.
template <class C>
int64_t count_sums(const TermCall<C>& call);
// Adds those sums, [heads, count_sums], to the gradients of the weights.
template <class C>
void finish_sums(const TermCall<C>& call, const double* dsums, Gradients dweights);

// sums [queries, dim] += p [queries, keys], whose rows are ld apart, times the vectors of a term
// that may stand in the values.
template <class C>
void add_vectors(const TermBlock<C>& b, const C* p, int64_t ld, C* sums);
// Adds the gradient of the head's table to dtable and, unless it is null, that of p to dp [queries,
// keys].
template <class C>
void vectors_backward(const TermBlock<C>& b, const C* p, const C* dout, double* dtable, C* dp);

// Those functions for a form F, as members: FormTerm<F, C>{form, call}.
template <class F, class C>
class FormTerm;

// sum += x.
inline void add_numbers(const double* x, int64_t count, double* sum) {
  for (int64_t n = 0; n < count; ++n) sum[n] += x[n];
}

}  // namespace posenc::cpu
