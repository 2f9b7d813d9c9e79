// segments.cc: queries meet one of two rows.
#include "content/segment_rows.h"
#include "cpu/terms/lookup.h"

namespace posenc::cpu {
namespace {

template <class C>
class SegmentTerm : public Term<C> {
 public:
  SegmentTerm(const Segments& s, const WeightLists<C>& weights)
      : s_(s), rule_(segment_rows(s)), table_(weights[0].size()), bias_(weights[1]) {
    for (int64_t n = 0; n < std::ssize(table_); ++n)
      table_[static_cast<size_t>(n)] = weights[0][static_cast<size_t>(weight_at(n))];
  }

  void add(const TermBlock<C>& b, C* scores) const override {
    const Scratch<C> x = biased(b);
    each(b, x.data(), [&](const QueryProducts<C>& t) { t.add(scores); });
  }

  // The sums are those of the head's rows, then of its bias.
  int64_t sums(const TermCall<C>&) const override { return 3 * s_.dim; }
  void backward(const TermBlock<C>& b, const C*, C* dscores,
                const TermGradients<C>& to) const override {
    const Scratch<C> x = biased(b);
    Scratch<C> dx(x.size(), 0);
    each(b, x.data(), [&](const QueryProducts<C>& t) { t.backward(dscores, dx.data(), to.dsums); });
    for (int64_t n = 0; n < dx.size(); ++n)
      to.dq[n] += dx[n], to.dsums[2 * s_.dim + n % s_.dim] += dx[n];
  }
  void finish(const TermCall<C>& call, const double* dsums, Gradients dweights) const override {
    for (int64_t h = 0; h < call.heads; ++h, dsums += 3 * s_.dim) {
      const int64_t head = call.first_head + h;
      for (int64_t row = 0; row < 2; ++row)
        add_numbers(dsums + row * s_.dim, s_.dim,
                    dweights[0].data() + (row * s_.heads + head) * s_.dim);
      add_numbers(dsums + 2 * s_.dim, s_.dim, dweights[1].data() + head * s_.dim);
    }
  }

 private:
  // Where number n of [heads, 2, dim] lies in the weight, [2, heads, dim].
  int64_t weight_at(int64_t n) const {
    const int64_t row = n / s_.dim;
    return (row % 2 * s_.heads + row / 2) * s_.dim + n % s_.dim;
  }
  Scratch<C> biased(const TermBlock<C>& b) const {
    Scratch<C> out(b.queries() * s_.dim);
    for (int64_t n = 0; n < out.size(); ++n)
      out[n] = b.q[n] + bias_[static_cast<size_t>(b.head * s_.dim + n % s_.dim)];
    return out;
  }
  template <class F>
  void each(const TermBlock<C>& b, const C* x, const F& f) const {
    const Lookup lookup =
        Lookup::of_pairs(b.at, [&](int64_t query, int64_t key) { return rule_.row(query, key); });
    f(QueryProducts<C>{lookup, s_.dim, x, table_.data() + b.head * 2 * s_.dim, b.keys()});
  }

  Segments s_;
  SegmentRowRule rule_;
  std::vector<C> table_;  // [heads, 2, dim]
  const std::vector<C>& bias_;
};

}  // namespace

template <>
TermPointer<float> make_term(const Segments& s, const WeightLists<float>& weights) {
  return std::make_shared<SegmentTerm<float>>(s, weights);
}
template <>
TermPointer<double> make_term(const Segments& s, const WeightLists<double>& weights) {
  return std::make_shared<SegmentTerm<double>>(s, weights);
}

}  // namespace posenc::cpu
