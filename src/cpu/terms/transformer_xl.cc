// transformer_xl.cc: products with projected sinusoids of the distance.
#include "posenc/content/transformer_xl.h"
#include "absolute/plan.h"
#include "base/parallel.h"
#include "cpu/terms/lookup.h"

namespace posenc::cpu {
namespace {

// Sinusoids are made so many at a time, from a multiple of it on: the same whatever stands beside.
constexpr int64_t piece = 64;

template <class C>
class XlTerm : public Term<C> {
 public:
  XlTerm(const TransformerXl& s, const WeightLists<C>& weights)
      : s_(s), inputs_(s.sinusoids.dim), weights_(weights), sinusoids_(plan_of(s.sinusoids)) {}

  void start(TermCall<C>& call) const override {
    const Reach reach = call.at.distances();
    const int64_t first = near(-reach.most), count = near(-reach.least) - first + 1;
    if (count > max_size)
      fail(s_.name, "expected at most ", max_size, " distances from ", -reach.most, " to ",
           -reach.least, ", got ", count, " (clamp_len limits them)");
    call.range = {first, count};
    const int64_t most = most_kept_bytes / (s_.heads * s_.dim * int64_t{sizeof(C)});
    call.rows = kept_.get(call.range, most, [this](const Range& r) { return make_rows(r); });
  }

  void add(const TermBlock<C>& b, C* scores) const override {
    const Scratch<C> q = biased(b);
    each(b, q.data(), [&](const QueryProducts<C>& t, int64_t) { t.add(scores); });
    if (!s_.biases) return;
    Scratch<C> by_key(b.keys());
    dot_rows<C>(1, b.keys(), s_.dim, {bias(1, b.head), s_.dim}, {b.k, s_.dim},
                {by_key.data(), b.keys()});
    for (int64_t i = 0; i < b.queries(); ++i)
      for (int64_t j = 0; j < b.keys(); ++j) scores[i * b.keys() + j] += by_key[j];
  }

  // The sums are those of the head's rows, then of u and v.
  int64_t sums(const TermCall<C>& call) const override {
    return (call.range.count + (s_.biases ? 2 : 0)) * s_.dim;
  }

  void backward(const TermBlock<C>& b, const C*, C* dscores,
                const TermGradients<C>& to) const override {
    const Scratch<C> q = biased(b);
    Scratch<C> dq(q.size(), 0);
    each(b, q.data(), [&](const QueryProducts<C>& t, int64_t shift) {
      t.backward(dscores, dq.data() + shift * s_.dim, to.dsums);
    });
    for (int64_t n = 0; n < dq.size(); ++n) to.dq[n] += dq[n];
    if (!s_.biases) return;
    double *du = to.dsums + b.call.range.count * s_.dim, *dv = du + s_.dim;
    for (int64_t n = 0; n < dq.size(); ++n) dv[n % s_.dim] += dq[n];
    content_backward(b, dscores, to.dk, du);
  }

  // dW = drows^T R.
  void finish(const TermCall<C>& call, const double* dsums, Gradients dweights) const override {
    const auto [first, count] = call.range;
    const Scratch<C> made = make_sinusoids(first, count);
    Scratch<double> r(made.size());
    std::copy(made.begin(), made.end(), r.begin());
    const int64_t each = sums(call), rows = count;
    parallel_for(call.heads, call.heads * s_.dim * (rows + inputs_) * 64, [&](int64_t h) {
      const double* d = dsums + h * each;
      const int64_t at = (call.first_head + h) * s_.dim;
      mix_rows<double>(s_.dim, inputs_, rows, {d, 1, s_.dim}, {r.data(), inputs_},
                       {dweights[0].data() + at * inputs_, inputs_});
      for (size_t w = 1; w < dweights.size(); ++w)
        add_numbers(d + (rows + static_cast<int64_t>(w) - 1) * s_.dim, s_.dim,
                    dweights[w].data() + at);
    });
  }

 private:
  // A distance query - key, no farther than clamp_len.
  int64_t near(double distance) const {
    const auto limit = static_cast<double>(s_.clamp_len > 0 ? s_.clamp_len : int64_t{1} << 53);
    return static_cast<int64_t>(std::clamp(distance, -limit, limit));
  }
  const C* bias(size_t weight, int64_t head) const {
    return weights_[weight].data() + head * s_.dim;
  }

  // q + v, for the queries and the one after them.
  Scratch<C> biased(const TermBlock<C>& b) const {
    Scratch<C> out((b.queries() + b.ahead) * s_.dim);
    std::copy_n(b.q, out.size(), out.begin());
    if (s_.biases)
      for (int64_t n = 0; n < out.size(); ++n) out[n] += bias(2, b.head)[n % s_.dim];
    return out;
  }

  // f(products, the query their first row of q belongs to).
  template <class F>
  void each(const TermBlock<C>& b, const C* q, const F& f) const {
    const Range &range = b.call.range, &held = b.call.rows->range;
    const C* rows =
        b.call.rows->memory.data() + (b.head * held.count + range.first - held.first) * s_.dim;
    const auto row = [&](int64_t d) {
      return std::clamp<int64_t>(d - range.first, 0, range.count - 1);
    };
    const auto visit = [&](int64_t queries, int64_t shift, const auto& row_of) {
      if (queries == 0) return;
      const Lookup lookup(b.at.part(0, 0, queries, b.keys()), row_of);
      f(QueryProducts<C>{lookup, s_.dim, q + shift * s_.dim, rows, b.keys()}, shift);
    };
    visit(b.queries(), 0, [&](int64_t d) { return s_.legacy && d > 0 ? -1 : row(-d); });
    if (s_.legacy)
      visit(b.queries() + b.ahead - 1, 1,
            [&](int64_t d) { return d < 2 ? -1 : row(b.keys() + 1 - d); });
  }

  // Of u . k.
  void content_backward(const TermBlock<C>& b, const C* dscores, C* dk, double* du) const {
    Scratch<C> by_key(b.keys(), 0), sum(s_.dim, 0);
    for (int64_t i = 0; i < b.queries(); ++i)
      for (int64_t j = 0; j < b.keys(); ++j) by_key[j] += dscores[i * b.keys() + j];
    mix_rows<C>(b.keys(), s_.dim, 1, {by_key.data(), 1}, {bias(1, b.head), s_.dim}, {dk, s_.dim});
    mix_rows<C>(1, s_.dim, b.keys(), {by_key.data(), b.keys()}, {b.k, s_.dim},
                {sum.data(), s_.dim});
    for (int64_t n = 0; n < s_.dim; ++n) du[n] += sum[n];
  }

  // R(first), R(first + 1), ...
  Scratch<C> make_sinusoids(int64_t first, int64_t count) const {
    const int64_t skipped = (first % piece + piece) % piece;
    Scratch<C> out(count * inputs_), whole(piece * inputs_);
    for (int64_t at = first - skipped; at < first + count; at += piece) {
      fill(sinusoids_, tensor(whole.data(), {piece, inputs_}), range(at));
      const int64_t begin = std::max(at, first), end = std::min(at + piece, first + count);
      std::copy(whole.begin() + (begin - at) * inputs_, whole.begin() + (end - at) * inputs_,
                out.begin() + (begin - first) * inputs_);
    }
    return out;
  }

  TermRows<C> make_rows(Range range) const {
    const Scratch<C> sinusoids = make_sinusoids(range.first, range.count);
    TermRows<C> out{range, Scratch<C>(s_.heads * range.count * s_.dim)};
    parallel_for(s_.heads, s_.heads * s_.dim * (range.count + inputs_) * 64, [&](int64_t h) {
      dot_rows<C>(range.count, s_.dim, inputs_, {sinusoids.data(), inputs_},
                  {weights_[0].data() + h * s_.dim * inputs_, inputs_},
                  {out.memory.data() + h * range.count * s_.dim, s_.dim});
    });
    return out;
  }

  TransformerXl s_;
  int64_t inputs_;
  const WeightLists<C>& weights_;
  AbsolutePlan sinusoids_;
  Kept<TermRows<C>> kept_;
};

}  // namespace

template <>
TermPointer<float> make_term(const TransformerXl& s, const WeightLists<float>& weights) {
  return std::make_shared<XlTerm<float>>(s, weights);
}
template <>
TermPointer<double> make_term(const TransformerXl& s, const WeightLists<double>& weights) {
  return std::make_shared<XlTerm<double>>(s, weights);
}

}  // namespace posenc::cpu
