// shaw.cc: which row of the table a distance reads.
#include "posenc/content/shaw.h"

#include "content/lookup.h"

namespace posenc {

void Shaw::check() const {
  check_size(name, "dim", dim);
  if (heads != 0) check_size(name, "heads", heads);
  for (const int64_t reach : {left, right})
    if (reach < 0 || reach >= max_size)
      fail(name, "expected left and right from 0 to ", max_size - 1, ", got ", reach);
}

int64_t Shaw::row(int64_t distance) const {
  const bool inside = -left <= distance && distance <= right;
  if (!inside && beyond == Beyond::zero) return -1;
  const int64_t near = std::clamp(distance, -left, right);
  return order == RowOrder::key_minus_query ? near + left : right - near;
}

template <class C>
Term<C> shaw_term(const Shaw& s, const WeightLists<C>& weights, const TermCall& call) {
  return table_term(s.heads, weights[0], call, s.rows() * s.dim,
                    [s](int64_t distance) { return s.row(distance); });
}
template <>
Term<float> make_term(const Shaw& s, const WeightLists<float>& weights, const TermCall& call) {
  return shaw_term(s, weights, call);
}
template <>
Term<double> make_term(const Shaw& s, const WeightLists<double>& weights, const TermCall& call) {
  return shaw_term(s, weights, call);
}

}  // namespace posenc
