// gated_t5.cc: gates of queries, which meet rows of one number.
#include "content/gate.h"
#include "cpu/terms/lookup.h"

namespace posenc::cpu {
namespace {

template <class C>
class GatedTerm : public Term<C> {
 public:
  GatedTerm(const GatedT5& s, const WeightLists<C>& weights)
      : s_(s),
        rows_(bucket_rows(s)),
        by_a_(row_sums(weights[1], 0)),
        by_b_(row_sums(weights[1], gate_rows)),
        scales_(weights[3]) {
    for (int64_t h = 0; h < s.heads; ++h)
      for (int64_t row = 0; row < s.buckets; ++row)
        table_.push_back(weights[0][static_cast<size_t>(row * s.heads + h)]);
    for (int64_t o = 0; o < gate_rows; ++o) {
      bias_a_ += static_cast<double>(weights[2][static_cast<size_t>(o)]);
      bias_b_ += static_cast<double>(weights[2][static_cast<size_t>(gate_rows + o)]);
    }
  }

  void add(const TermBlock<C>& b, C* scores) const override {
    Scratch<C> gates(b.queries());
    for (int64_t i = 0; i < b.queries(); ++i) gates[i] = static_cast<C>(gate(b, i).value);
    const Lookup lookup = rows_of(b);
    products(b, lookup, gates.data()).add(scores);
  }

  // The sums are those of the head's table, of what by_a, by_b, both biases and the scale get.
  int64_t sums(const TermCall<C>&) const override { return s_.buckets + 2 * s_.dim + 3; }
  void backward(const TermBlock<C>& b, const C*, C* dscores,
                const TermGradients<C>& to) const override {
    Scratch<C> gates(b.queries()), dgates(b.queries(), 0);
    for (int64_t i = 0; i < b.queries(); ++i) gates[i] = static_cast<C>(gate(b, i).value);
    const Lookup lookup = rows_of(b);
    products(b, lookup, gates.data()).backward(dscores, dgates.data(), to.dsums);
    for (int64_t i = 0; i < b.queries(); ++i)
      gate_backward(b, i, static_cast<double>(dgates[i]), to);
  }
  void finish(const TermCall<C>& call, const double* dsums, Gradients dweights) const override {
    for (int64_t h = 0; h < call.heads; ++h, dsums += sums(call)) {
      const int64_t head = call.first_head + h;
      for (int64_t row = 0; row < s_.buckets; ++row)
        dweights[0][static_cast<size_t>(row * s_.heads + head)] += dsums[row];
      const double *by_gate = dsums + s_.buckets, *rest = by_gate + 2 * s_.dim;
      for (int64_t o = 0; o < 2 * gate_rows; ++o) {
        add_numbers(by_gate + o / gate_rows * s_.dim, s_.dim, dweights[1].data() + o * s_.dim);
        dweights[2][static_cast<size_t>(o)] += rest[o / gate_rows];
      }
      dweights[3][static_cast<size_t>(head)] += rest[2];
    }
  }

 private:
  // The sum of some rows of the gates' weight.
  std::vector<double> row_sums(const std::vector<C>& weight, int64_t first) const {
    std::vector<double> out(static_cast<size_t>(s_.dim), 0);
    for (int64_t n = 0; n < gate_rows * s_.dim; ++n)
      out[static_cast<size_t>(n % s_.dim)] +=
          static_cast<double>(weight[static_cast<size_t>(first * s_.dim + n)]);
    return out;
  }

  GateValue gate(const TermBlock<C>& b, int64_t i) const {
    double sum_a = bias_a_, sum_b = bias_b_;
    for (int64_t f = 0; f < s_.dim; ++f) {
      const auto x = static_cast<double>(b.q[i * s_.dim + f]);
      sum_a += x * by_a_[static_cast<size_t>(f)], sum_b += x * by_b_[static_cast<size_t>(f)];
    }
    return {sum_a, sum_b, static_cast<double>(scales_[static_cast<size_t>(b.head)])};
  }
  void gate_backward(const TermBlock<C>& b, int64_t i, double g, const TermGradients<C>& to) const {
    const GateValue at = gate(b, i);
    const double da = g * at.by_a, db = g * at.by_b;
    double* dsums = to.dsums + s_.buckets;
    for (int64_t f = 0; f < s_.dim; ++f) {
      const auto x = static_cast<double>(b.q[i * s_.dim + f]);
      to.dq[i * s_.dim + f] +=
          static_cast<C>(da * by_a_[static_cast<size_t>(f)] + db * by_b_[static_cast<size_t>(f)]);
      dsums[f] += da * x, dsums[s_.dim + f] += db * x;
    }
    double* rest = dsums + 2 * s_.dim;
    rest[0] += da, rest[1] += db, rest[2] += g * at.by_scale;
  }

  Lookup rows_of(const TermBlock<C>& b) const {
    return Lookup(b.at, [this](int64_t d) {
      const int64_t far = s_.max_distance;  // one row from there on
      return int64_t{rows_[static_cast<size_t>(std::clamp(d, -far, far) + far)]};
    });
  }
  QueryProducts<C> products(const TermBlock<C>& b, const Lookup& lookup, const C* gates) const {
    return {lookup, 1, gates, table_.data() + b.head * s_.buckets, b.keys()};
  }

  GatedT5 s_;
  std::vector<int32_t> rows_;
  std::vector<double> by_a_, by_b_;
  double bias_a_ = 0, bias_b_ = 0;
  std::vector<C> table_;  // [heads, buckets]
  const std::vector<C>& scales_;
};

}  // namespace

template <>
TermPointer<float> make_term(const GatedT5& s, const WeightLists<float>& weights) {
  return std::make_shared<GatedTerm<float>>(s, weights);
}
template <>
TermPointer<double> make_term(const GatedT5& s, const WeightLists<double>& weights) {
  return std::make_shared<GatedTerm<double>>(s, weights);
}

}  // namespace posenc::cpu
