// table.cc: the terms of Shaw's and the Music Transformer's tables.
#include "cpu/terms/table.h"
#include "posenc/content/music_transformer.h"

namespace posenc::cpu {
namespace {

// How much of each row a query takes: the probabilities of the keys that read it.
template <class C>
Scratch<C> shares_of(const Lookup& lookup, const C* p, int64_t ld) {
  const int64_t width = lookup.count() + 1;
  Scratch<C> out(lookup.queries() * width, 0);
  for (int64_t i = 0; i < lookup.queries(); ++i)
    for (int64_t j = 0; j < lookup.keys(); ++j) out[i * width + lookup.of(i)[j]] += p[i * ld + j];
  return out;
}

}  // namespace

template <class C>
void TableTerm<C>::add(const TermBlock<C>& b, C* scores) const {
  const Lookup lookup = rows_of(b);
  products(b, lookup, b.q).add(scores);
}

template <class C>
void TableTerm<C>::backward(const TermBlock<C>& b, const C*, C* dscores,
                            const TermGradients<C>& to) const {
  const Lookup lookup = rows_of(b);
  products(b, lookup, b.q).backward(dscores, to.dq, to.dsums);
}

template <class C>
void TableTerm<C>::finish(const TermCall<C>& call, const double* dsums, Gradients dweights) const {
  for (int64_t h = 0; h < call.heads; ++h)
    add_numbers(dsums + h * size_, size_, dweights[0].data() + table_at(call.first_head + h));
}

template <class C>
void TableTerm<C>::add_to_outputs(const TermBlock<C>& b, const C* p, int64_t ld, C* sums) const {
  const Lookup lookup = rows_of(b);
  const Scratch<C> shares = shares_of(lookup, p, ld);
  mix_rows<C>(b.queries(), s_.dim, lookup.count(), {shares.data() + 1, lookup.count() + 1},
              {products(b, lookup, nullptr).rows(), s_.dim}, {sums, s_.dim});
}

template <class C>
void TableTerm<C>::outputs_backward(const TermBlock<C>& b, const C* p, const C* dout,
                                    double* dtable, C* dp) const {
  const Lookup lookup = rows_of(b);
  const Scratch<C> shares = shares_of(lookup, p, b.keys());
  Scratch<C> drows(lookup.count() * s_.dim, 0);
  mix_rows<C>(lookup.count(), s_.dim, b.queries(), {shares.data() + 1, 1, lookup.count() + 1},
              {dout, s_.dim}, {drows.data(), s_.dim});
  for (int64_t n = 0; n < drows.size(); ++n) dtable[lookup.first() * s_.dim + n] += drows[n];
  if (dp) products(b, lookup, dout).add(dp);
}

template <>
TermPointer<float> make_term(const Shaw& s, const WeightLists<float>& weights) {
  return std::make_shared<TableTerm<float>>(s, weights[0]);
}
template <>
TermPointer<double> make_term(const Shaw& s, const WeightLists<double>& weights) {
  return std::make_shared<TableTerm<double>>(s, weights[0]);
}

// The last row is distance 0.
template <>
TermPointer<float> make_term(const MusicTransformer& s, const WeightLists<float>& weights) {
  const Shaw back{s.dim, s.heads, s.length - 1, 0, Beyond::zero};
  return std::make_shared<TableTerm<float>>(back, weights[0]);
}

template <>
TermPointer<double> make_term(const MusicTransformer& s, const WeightLists<double>& weights) {
  const Shaw back{s.dim, s.heads, s.length - 1, 0, Beyond::zero};
  return std::make_shared<TableTerm<double>>(back, weights[0]);
}

template class TableTerm<float>;
template class TableTerm<double>;

}  // namespace posenc::cpu
