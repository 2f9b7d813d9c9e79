// music_transformer.cc: the term of a table of distances back.
#include "posenc/content/music_transformer.h"

#include "content/lookup.h"

namespace posenc {

void MusicTransformer::check() const {
  check_size(name, "dim", dim);
  if (heads != 0) check_size(name, "heads", heads);
  check_size(name, "length", length);
}

template <class C>
Term<C> music_term(const MusicTransformer& s, const WeightLists<C>& weights, const TermCall& call) {
  return table_term(s.heads, weights[0], call, s.length * s.dim,
                    [s](int64_t distance) { return s.row(distance); });
}
template <>
Term<float> make_term(const MusicTransformer& s, const WeightLists<float>& weights,
                      const TermCall& call) {
  return music_term(s, weights, call);
}
template <>
Term<double> make_term(const MusicTransformer& s, const WeightLists<double>& weights,
                       const TermCall& call) {
  return music_term(s, weights, call);
}

}  // namespace posenc
