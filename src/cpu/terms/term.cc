// term.cc: what is asked of a term, asked of its form.
#include "cpu/terms/term.h"

#include "cpu/terms/counted.h"
#include "cpu/terms/decay.h"
#include "cpu/terms/key_gates.h"
#include "cpu/terms/lookups.h"
#include "cpu/terms/pair_gates.h"

namespace posenc::cpu {
namespace {

template <class C, class F>
auto ask(const TermCall<C>& call, const F& f) {
  return std::visit(
      [&]<class Form>(const Form& form) {
        return f(FormTerm<Form, C>{form, call});
      },
      call.plan.formula.form);
}
template <class C>
FormTerm<RowLookups, C> lookups_of(const TermCall<C>& call) {
  return {std::get<RowLookups>(call.plan.formula.form), call};
}

}  // namespace

template <class C>
TermCall<C> start_call(const TermSource& source, const ScorePlaces& at) {
  TermCall<C> call{source.plan.parts(), source.heads, source.first_head, at};
  const auto* lookups = std::get_if<RowLookups>(&call.plan.formula.form);
  if (lookups && lookups->projection >= 0) Projection<C>{*lookups, call.plan}.start(call);
  return call;
}
template <class C>
void add_term(const TermBlock<C>& b, C* scores) {
  ask(b.call, [&](const auto& term) { term.add(b, scores); });
}
template <class C>
void term_backward(const TermBlock<C>& b, const C* scores, C* dscores, const TermGradients<C>& to) {
  ask(b.call, [&](const auto& term) { term.backward(b, scores, dscores, to); });
}
template <class C>
int64_t count_sums(const TermCall<C>& call) {
  return ask(call, [](const auto& term) { return term.sums(); });
}
template <class C>
void finish_sums(const TermCall<C>& call, const double* dsums, Gradients dweights) {
  ask(call, [&](const auto& term) { term.finish(dsums, dweights); });
}

template <class C>
void add_vectors(const TermBlock<C>& b, const C* p, int64_t ld, C* sums) {
  lookups_of(b.call).add_vectors(b, p, ld, sums);
}
template <class C>
void vectors_backward(const TermBlock<C>& b, const C* p, const C* dout, double* dtable, C* dp) {
  lookups_of(b.call).vectors_backward(b, p, dout, dtable, dp);
}

#define POSENC_TERMS(C)                                                                    \
  template TermCall<C> start_call(const TermSource&, const ScorePlaces&);                  \
  template void add_term(const TermBlock<C>&, C*);                                         \
  template void term_backward(const TermBlock<C>&, const C*, C*, const TermGradients<C>&); \
  template int64_t count_sums(const TermCall<C>&);                                         \
  template void finish_sums(const TermCall<C>&, const double*, Gradients);                 \
  template void add_vectors(const TermBlock<C>&, const C*, int64_t, C*);                   \
  template void vectors_backward(const TermBlock<C>&, const C*, const C*, double*, C*);
POSENC_TERMS(float)
POSENC_TERMS(double)
#undef POSENC_TERMS

}  // namespace posenc::cpu
