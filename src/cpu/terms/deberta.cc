// deberta.cc: queries meet the rows of one table, keys those of another.
#include "posenc/content/deberta.h"
#include "cpu/terms/lookup.h"

namespace posenc::cpu {
namespace {

constexpr int64_t key_tile = 64;  // keys that meet the rows of their distances together

template <class C>
class DebertaTerm : public Term<C> {
 public:
  DebertaTerm(const Deberta& s, const WeightLists<C>& weights)
      : s_(s), size_(2 * s.span() * s.dim), keys_(0), queries_(s.c2p ? 1 : 0), weights_(weights) {
    for (int64_t d = -s.max_distance; d <= s.max_distance; ++d)
      rows_.push_back(static_cast<int32_t>(s.row(d)));
  }

  void add(const TermBlock<C>& b, C* scores) const override {
    if (s_.c2p) by_query(b, [&](const QueryProducts<C>& t) { t.add(scores); });
    if (s_.p2c) by_key(b, [&](const KeyProducts<C>& t, int64_t key) { t.add(scores + key); });
  }
  void backward(const TermBlock<C>& b, const C*, C* dscores,
                const TermGradients<C>& to) const override {
    double* dsums[] = {to.dsums, to.dsums + queries_ * size_};
    if (s_.c2p)
      by_query(b, [&](const QueryProducts<C>& t) { t.backward(dscores, to.dq, dsums[0]); });
    if (s_.p2c)
      by_key(b, [&](const KeyProducts<C>& t, int64_t key) {
        t.backward(dscores + key, to.dk + key * s_.dim, dsums[1]);
      });
  }

  int64_t sums(const TermCall<C>&) const override { return std::ssize(weights_) * size_; }
  void finish(const TermCall<C>& call, const double* dsums, Gradients dweights) const override {
    for (int64_t h = 0; h < call.heads; ++h)
      for (const auto& dweight : dweights) {
        add_numbers(dsums, size_, dweight.data() + (call.first_head + h) * size_);
        dsums += size_;
      }
  }

 private:
  int64_t row(int64_t key_minus_query) const {
    const int64_t far = s_.max_distance;  // one row from there on
    return rows_[static_cast<size_t>(std::clamp(-key_minus_query, -far, far) + far)];
  }
  const C* table(size_t weight, int64_t head) const {
    return weights_[weight].data() + head * size_;
  }

  // f(products) of queries and position keys, over all keys.
  template <class F>
  void by_query(const TermBlock<C>& b, const F& f) const {
    const Lookup lookup(b.at, [this](int64_t d) { return row(d); });
    f(QueryProducts<C>{lookup, s_.dim, b.q, table(keys_, b.head), b.keys()});
  }
  // f(products, first key) of keys and position queries, some keys at a time: they read few rows.
  template <class F>
  void by_key(const TermBlock<C>& b, const F& f) const {
    for (int64_t j = 0; j < b.keys(); j += key_tile) {
      const int64_t count = std::min(key_tile, b.keys() - j);
      const Lookup lookup(b.at, j, count, [this](int64_t d) { return row(d); });
      f(KeyProducts<C>{lookup, s_.dim, b.k + j * s_.dim, table(queries_, b.head), b.keys()}, j);
    }
  }

  Deberta s_;
  int64_t size_;           // of the table of a head
  size_t keys_, queries_;  // weights: position keys, position queries
  const WeightLists<C>& weights_;
  std::vector<int32_t> rows_;  // of query - key, from -max_distance on
};

}  // namespace

template <>
TermPointer<float> make_term(const Deberta& s, const WeightLists<float>& weights) {
  return std::make_shared<DebertaTerm<float>>(s, weights);
}
template <>
TermPointer<double> make_term(const Deberta& s, const WeightLists<double>& weights) {
  return std::make_shared<DebertaTerm<double>>(s, weights);
}

}  // namespace posenc::cpu
