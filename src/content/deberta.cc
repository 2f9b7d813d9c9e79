// deberta.cc: buckets of distances, and the terms of the two tables.
#include "posenc/content/deberta.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "content/lookup.h"

namespace posenc {
namespace {

using Whole = boost::multiprecision::cpp_int;

Whole power(int64_t base, int64_t exponent) {
  return boost::multiprecision::pow(Whole(base), static_cast<unsigned>(exponent));
}

constexpr int64_t key_tile = 64;  // keys that meet the rows of their distances together

// Rows of the distances that a call can ask for.
class Rows {
 public:
  Rows(const Deberta& s, const TermCall& call) {
    const auto far = static_cast<double>(s.max_distance);  // one row from there on
    const auto within = [&](double d) { return static_cast<int64_t>(std::clamp(d, -far, far)); };
    first_ = within(-call.most), last_ = within(-call.least);
    for (int64_t d = first_; d <= last_; ++d) rows_.push_back(s.row(d));
  }
  int64_t operator()(int64_t key_minus_query) const {
    return rows_[static_cast<size_t>(std::clamp(-key_minus_query, first_, last_) - first_)];
  }

 private:
  int64_t first_, last_;
  std::vector<int64_t> rows_;
};

template <class C>
struct DebertaTerm {
  Deberta s;
  const WeightLists<C>* weights;
  Rows rows;

  int64_t size() const { return 2 * s.span() * s.dim; }
  const C* table(size_t weight, int64_t head) const {
    return (*weights)[weight].data() + head * size();
  }

  // f(term, keys before it) for queries and the table of keys, over all keys.
  template <class F>
  void by_query(const TermBlock<C>& b, const F& f) const {
    const Lookup lookup(b.query_at, b.queries, b.key_at, b.keys, rows);
    f(QueryTerm<C>{lookup, b.queries, b.keys, b.dim, b.q, table(0, b.head), b.keys});
  }
  // The same for keys and the table of queries, some keys at a time: they read few rows.
  template <class F>
  void by_key(const TermBlock<C>& b, const F& f) const {
    for (int64_t j = 0; j < b.keys; j += key_tile) {
      const int64_t count = std::min(key_tile, b.keys - j);
      const Lookup lookup(b.query_at, b.queries, b.key_at + j, count, rows);
      f(KeyTerm<C>{lookup, b.queries, count, b.dim, b.k + j * b.dim, table(s.c2p, b.head), b.keys},
        j);
    }
  }

  void add(const TermBlock<C>& b, C* scores) const {
    if (s.c2p) by_query(b, [&](const QueryTerm<C>& t) { t.add(scores); });
    if (s.p2c) by_key(b, [&](const KeyTerm<C>& t, int64_t key) { t.add(scores + key); });
  }
  void backward(const TermBlock<C>& b, const C* dscores, const TermGradients<C>& to) const {
    if (s.c2p)
      by_query(b, [&](const QueryTerm<C>& t) { t.backward(dscores, to.dq, to.dsums[0].data()); });
    if (s.p2c)
      by_key(b, [&](const KeyTerm<C>& t, int64_t key) {
        t.backward(dscores + key, to.dk + key * b.dim, to.dsums[s.c2p].data());
      });
  }
};

template <class C>
Term<C> deberta_term(const Deberta& s, const WeightLists<C>& weights, const TermCall& call) {
  const DebertaTerm<C> term{s, &weights, Rows(s, call)};
  Term<C> out;
  out.add = [=](const TermBlock<C>& b, C* scores) { term.add(b, scores); };
  out.backward = [=](const TermBlock<C>& b, const C*, C* dscores, const TermGradients<C>& to) {
    term.backward(b, dscores, to);
  };
  out.sums.assign(weights.size(), term.size());
  out.finish = [=, size = term.size()](const std::vector<WeightValues>& dsums,
                                       WeightValues& dweights) {
    for (size_t h = 0; h < dsums.size(); ++h)
      for (size_t w = 0; w < dweights.size(); ++w)
        add_table(dsums[h][w], (call.first_head + static_cast<int64_t>(h)) * size, dweights[w]);
  };
  return out;
}

}  // namespace

void Deberta::check() const {
  check_size(name, "dim", dim);
  check_size(name, "heads", heads);
  check_size(name, "max_distance", max_distance);
  if (buckets != 0 && (buckets < 4 || buckets > 4096 || buckets % 2 != 0))
    fail(name, "expected buckets from 4 to 4096, even, or 0, got ", buckets);
  if (buckets != 0 && max_distance - 1 <= buckets / 2)
    fail(name, "expected max_distance above ", buckets / 2 + 1, ", got ", max_distance);
  if (!c2p && !p2c) fail(name, "expected c2p or p2c, got neither");
}

// Beyond m = b/2, the least t with (d / m)^(m - 1) <= ((M - 1) / m)^t, plus m. Where t is not
// plain from a rounded logarithm it is found in whole numbers, as long as they are not enormous.
int64_t Deberta::bucket(int64_t d) const {
  const int64_t size = std::abs(d), m = buckets / 2, sign = d < 0 ? -1 : 1;
  if (buckets == 0 || size <= m) return d;
  const auto middle = static_cast<double>(m);
  const double t = std::log(static_cast<double>(size) / middle) /
                   std::log(static_cast<double>(max_distance - 1) / middle) * (middle - 1);
  const auto near = static_cast<int64_t>(std::nearbyint(t));
  if (std::abs(t - static_cast<double>(near)) > 1e-6 || near > 1 << 14)
    return sign * (static_cast<int64_t>(std::ceil(t)) + m);
  const bool reaches =
      power(size, m - 1) * power(m, near) <= power(max_distance - 1, near) * power(m, m - 1);
  return sign * ((reaches ? near : near + 1) + m);
}

int64_t Deberta::row(int64_t d) const {
  const int64_t near = std::clamp(d, -max_distance, max_distance);
  return std::clamp<int64_t>(bucket(near) + span(), 0, 2 * span() - 1);
}

double Deberta::scale() const { return 1 / std::sqrt(static_cast<double>(dim * (1 + c2p + p2c))); }

template <>
Term<float> make_term(const Deberta& s, const WeightLists<float>& weights, const TermCall& call) {
  return deberta_term(s, weights, call);
}
template <>
Term<double> make_term(const Deberta& s, const WeightLists<double>& weights, const TermCall& call) {
  return deberta_term(s, weights, call);
}

}  // namespace posenc
