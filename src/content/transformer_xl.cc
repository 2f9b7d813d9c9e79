// transformer_xl.cc: projected sinusoids of every distance of a call, then their products.
#include "posenc/content/transformer_xl.h"

#include "base/parallel.h"
#include "content/lookup.h"
#include "posenc/absolute.h"

namespace posenc {
namespace {

// Rows R of all distances query - key that a call reads, and W R for each head.
template <class C>
struct Projected {
  int64_t first, count, inputs;
  std::vector<C> sinusoids;  // [count, inputs]
  std::vector<C> rows;       // [heads, count, dim]

  Projected(const TransformerXl& s, const std::vector<C>& projection, const TermCall& call)
      : inputs(s.sinusoids.dim) {
    const auto limit = static_cast<double>(s.clamp_len > 0 ? s.clamp_len : int64_t{1} << 53);
    const auto near = [&](double d) { return static_cast<int64_t>(std::clamp(d, -limit, limit)); };
    first = near(-call.most), count = near(-call.least) - first + 1;
    if (count > max_size)
      fail(s.name, "expected at most ", max_size, " distances from ", -call.most, " to ",
           -call.least, ", got ", count, " (clamp_len limits them)");
    sinusoids.resize(static_cast<size_t>(count * inputs));
    fill(Absolute(s.sinusoids), tensor(sinusoids.data(), {count, inputs}), range(first));
    rows.resize(static_cast<size_t>(call.heads * count * s.dim));
    parallel_for(call.heads, call.heads * s.dim * (count + inputs) * 64, [&](int64_t h) {
      const C* w = projection.data() + (call.first_head + h) * s.dim * inputs;
      cpu::dot_rows<C>(count, s.dim, inputs, {sinusoids.data(), inputs}, {w, inputs},
                       {rows.data() + h * count * s.dim, s.dim});
    });
  }
};

template <class C>
struct XlTerm {
  TransformerXl s;
  const WeightLists<C>* weights;
  TermCall call;
  std::shared_ptr<const Projected<C>> projected;

  int64_t row(int64_t query_minus_key) const {
    const int64_t last = projected->count - 1;
    return std::clamp<int64_t>(query_minus_key - projected->first, 0, last);
  }
  const C* bias(size_t weight, int64_t head) const {
    return (*weights)[weight].data() + head * s.dim;
  }

  // q + v, for the queries and the one after them.
  std::vector<C> biased(const TermBlock<C>& b) const {
    std::vector<C> out(b.q, b.q + (b.queries + b.ahead) * b.dim);
    if (s.biases)
      for (size_t n = 0; n < out.size(); ++n)
        out[n] += bias(2, b.head)[n % static_cast<size_t>(b.dim)];
    return out;
  }

  // f(term, the query its first row of q belongs to).
  template <class F>
  void each(const TermBlock<C>& b, const C* q, const F& f) const {
    const C* rows = projected->rows.data() + (b.head - call.first_head) * projected->count * b.dim;
    const auto visit = [&](int64_t queries, int64_t shift, const auto& row_of) {
      const Lookup lookup(b.query_at, queries, b.key_at, b.keys, row_of);
      f(QueryTerm<C>{lookup, queries, b.keys, b.dim, q + shift * b.dim, rows, b.keys}, shift);
    };
    visit(b.queries, 0, [&](int64_t d) { return s.legacy && d > 0 ? -1 : row(-d); });
    if (s.legacy)
      visit(b.queries + b.ahead - 1, 1,
            [&](int64_t d) { return d < 2 ? -1 : row(b.keys + 1 - d); });
  }

  void add(const TermBlock<C>& b, C* scores) const {
    const auto q = biased(b);
    each(b, q.data(), [&](const QueryTerm<C>& t, int64_t) { t.add(scores); });
    if (!s.biases) return;
    std::vector<C> by_key(static_cast<size_t>(b.keys));
    cpu::dot_rows<C>(1, b.keys, b.dim, {bias(1, b.head), b.dim}, {b.k, b.dim},
                     {by_key.data(), b.keys});
    for (int64_t i = 0; i < b.queries; ++i)
      for (int64_t j = 0; j < b.keys; ++j) scores[i * b.keys + j] += by_key[static_cast<size_t>(j)];
  }

  // dsums: of the head's rows, then of u and v.
  void backward(const TermBlock<C>& b, const C* dscores, const TermGradients<C>& to) const {
    const auto q = biased(b);
    std::vector<C> dq(q.size());
    each(b, q.data(), [&](const QueryTerm<C>& t, int64_t shift) {
      t.backward(dscores, dq.data() + shift * b.dim, to.dsums[0].data());
    });
    for (size_t n = 0; n < dq.size(); ++n) to.dq[n] += dq[n];
    if (!s.biases) return;
    for (size_t n = 0; n < dq.size(); ++n) to.dsums[2][n % static_cast<size_t>(b.dim)] += dq[n];
    std::vector<C> by_key(static_cast<size_t>(b.keys)), du(static_cast<size_t>(b.dim));
    for (int64_t i = 0; i < b.queries; ++i)
      for (int64_t j = 0; j < b.keys; ++j)
        by_key[static_cast<size_t>(j)] += dscores[i * b.keys + j];
    cpu::mix_rows<C>(b.keys, b.dim, 1, {by_key.data(), 1}, {bias(1, b.head), b.dim},
                     {to.dk, b.dim});
    cpu::mix_rows<C>(1, b.dim, b.keys, {by_key.data(), b.keys}, {b.k, b.dim}, {du.data(), b.dim});
    for (size_t n = 0; n < du.size(); ++n) to.dsums[1][n] += du[n];
  }

  // dW = drows^T R.
  void finish(const std::vector<WeightValues>& dsums, WeightValues& dweights) const {
    const Projected<C>& p = *projected;
    const std::vector<double> sinusoids(p.sinusoids.begin(), p.sinusoids.end());
    parallel_for(call.heads, call.heads * s.dim * (p.count + p.inputs) * 64, [&](int64_t h) {
      const WeightValues& d = dsums[static_cast<size_t>(h)];
      const int64_t head = call.first_head + h;
      cpu::mix_rows<double>(s.dim, p.inputs, p.count, {d[0].data(), 1, s.dim},
                            {sinusoids.data(), p.inputs},
                            {dweights[0].data() + head * s.dim * p.inputs, p.inputs});
      for (size_t w = 1; w < dweights.size(); ++w) add_table(d[w], head * s.dim, dweights[w]);
    });
  }
};

// The matrix of the first code is shifted by as many places as it has queries: the last of them
// must stand at the last key.
void check_legacy(const TransformerXl& s, const TermCall& call) {
  const auto queries = static_cast<double>(call.queries), keys = static_cast<double>(call.keys);
  if (queries > keys || call.least != 1 - keys || call.most != queries - 1)
    fail(s.name, "expected queries that end with the keys for the legacy form, got ", call.queries,
         " queries, ", call.keys, " keys and distances from ", call.least, " to ", call.most);
}

template <class C>
Term<C> xl_term(const TransformerXl& s, const WeightLists<C>& weights, const TermCall& call) {
  if (s.legacy) check_legacy(s, call);
  const auto term = std::make_shared<const XlTerm<C>>(
      XlTerm<C>{s, &weights, call, std::make_shared<Projected<C>>(s, weights[0], call)});
  Term<C> out;
  out.add = [=](const TermBlock<C>& b, C* scores) { term->add(b, scores); };
  out.backward = [=](const TermBlock<C>& b, const C*, C* dscores, const TermGradients<C>& to) {
    term->backward(b, dscores, to);
  };
  out.sums = {term->projected->count * s.dim};
  if (s.biases) out.sums.insert(out.sums.end(), {s.dim, s.dim});
  out.finish = [=](const std::vector<WeightValues>& dsums, WeightValues& dweights) {
    term->finish(dsums, dweights);
  };
  return out;
}

}  // namespace

std::vector<Preset<TransformerXl>> TransformerXl::presets() {
  const Sinusoidal halves{.order = Order::halves}, interleaved{};
  const Sinusoidal wide{.dim = 1024, .order = Order::halves};
  const Sinusoidal gemma{.dim = 1536, .rule = TimescalesRule{}, .order = Order::halves};
  return {{"paper", "Dai et al. 2019: sines, then cosines", {}},
          {"xlnet", "XLNet large", {.heads = 16, .sinusoids = wide}},
          {"conformer",
           "espnet, NeMo, Hugging Face: sine and cosine side by side",
           {.sinusoids = interleaved}},
          {"espnet-legacy", "espnet's older attention", {.sinusoids = interleaved, .legacy = true}},
          {"gemma-audio",
           "Gemma 3n audio: w_k = base^(-k/(n-1)), no biases",
           {.dim = 192, .sinusoids = gemma, .biases = false}}};
}

void TransformerXl::check() const {
  check_size(name, "dim", dim);
  check_size(name, "heads", heads);
  sinusoids.check();
  if (sinusoids.learned_scale) fail(name, "expected sinusoids without a learned scale");
  if (clamp_len < 0 || clamp_len > max_size)
    fail(name, "expected clamp_len from 0 to ", max_size, ", got ", clamp_len);
  if (legacy && clamp_len > 0) fail(name, "expected no clamp_len with the legacy form");
}

template <>
Term<float> make_term(const TransformerXl& s, const WeightLists<float>& weights,
                      const TermCall& call) {
  return xl_term(s, weights, call);
}
template <>
Term<double> make_term(const TransformerXl& s, const WeightLists<double>& weights,
                       const TermCall& call) {
  return xl_term(s, weights, call);
}

}  // namespace posenc
