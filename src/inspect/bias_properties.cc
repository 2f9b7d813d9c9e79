// bias_properties.cc: what is claimed of biases, measured in f64.
#include "bias_properties.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verdict.h"

namespace posenc {
namespace {

// All biases of some tokens: [heads, tokens, tokens].
struct Square {
  BiasPlan plan;
  int64_t heads, tokens;
  std::vector<double> values;

  double at(int64_t head, int64_t query, int64_t key) const {
    return values[static_cast<size_t>((head * tokens + query) * tokens + key)];
  }
  double most() const {
    double out = 0;
    for (const double value : values) out = std::max(out, std::abs(value));
    return out;
  }
};

// The largest f(head, query, key) where the next query and key are there too.
template <class F>
double largest(const Square& s, const F& f) {
  double out = 0;
  for (int64_t h = 0; h < s.heads; ++h)
    for (int64_t q = 0; q + 1 < s.tokens; ++q)
      for (int64_t k = 0; k + 1 < s.tokens; ++k) out = std::max(out, f(h, q, k));
  return out;
}

Property by_distance(const Square& s) {
  Property p{.name = "by-distance", .claim = "the bias depends only on key - query"};
  p.measured = largest(s, [&](int64_t h, int64_t q, int64_t k) {
    return std::abs(s.at(h, q + 1, k + 1) - s.at(h, q, k));
  });
  p.evidence = said("one token further, biases differ by up to ", p.measured);
  return judged(p, p.measured == 0);
}

// A number that all keys of a query get is taken away by the softmax.
Property attention_by_distance(const Square& s) {
  Property p{.name = "attention-by-distance",
             .claim = "differences between keys, all that softmax uses, depend only on distances"};
  p.measured = largest(s, [&](int64_t h, int64_t q, int64_t k) {
    const double there = s.at(h, q + 1, k + 1) - s.at(h, q + 1, 1);
    return std::abs(there - (s.at(h, q, k) - s.at(h, q, 0)));
  });
  // Four biases, each rounded once by half a unit of 2^-52, and three differences of up to twice
  // and four times their size.
  p.bound = 12 * std::numeric_limits<double>::epsilon() * s.most();
  p.evidence = said("one token further, these change by ", amount(p));
  return judged(p, p.measured <= p.bound);
}

Property recency(const Square& s) {
  Property p{.name = "recency",
             .claim = "a key farther back never gets a larger bias than a nearer one"};
  p.measured = largest(s, [&](int64_t h, int64_t q, int64_t k) {
    return k < q ? s.at(h, q, k) - s.at(h, q, k + 1) : 0;
  });
  p.evidence = said("the largest increase from a key to the one before it is ", p.measured);
  return judged(p, p.measured == 0);
}

Property one_line(const Square& s) {
  Property p{.name = "one-line",
             .claim = "the biases of all queries are slices of one vector per head"};
  const Reads reads = s.plan.reads();
  if (reads != Reads::distance && reads != Reads::key)
    return p.evidence = "the bias depends on the positions of query and key", p;
  const int64_t first = reads == Reads::key ? 0 : 1 - s.tokens, length = s.tokens - first;
  std::vector<double> line(static_cast<size_t>(s.heads * length));
  fill_profile(s.plan, tensor(line.data(), {s.heads, length}), first);
  for (int64_t h = 0; h < s.heads; ++h)
    for (int64_t q = 0; q < s.tokens; ++q)
      for (int64_t k = 0; k < s.tokens; ++k) {
        const int64_t place = h * length + (reads == Reads::key ? k : k - q) - first;
        const double change = line[static_cast<size_t>(place)] - s.at(h, q, k);
        p.measured = std::max(p.measured, std::abs(change));
      }
  p.evidence = said(length, " numbers per head give ", s.tokens, " x ", s.tokens,
                    " scores; the largest difference is ", p.measured);
  return judged(p, p.measured == 0);
}

Property cache(const Square& s) {
  Property p{.name = "cache",
             .claim = "a single query after a KV cache gets the last row of the square"};
  std::vector<double> row(static_cast<size_t>(s.heads * s.tokens));
  fill(s.plan, tensor(row.data(), {s.heads, 1, s.tokens}), {.queries = range(s.tokens - 1)});
  for (int64_t h = 0; h < s.heads; ++h)
    for (int64_t k = 0; k < s.tokens; ++k) {
      const double change = row[static_cast<size_t>(h * s.tokens + k)] - s.at(h, s.tokens - 1, k);
      p.measured = std::max(p.measured, std::abs(change));
    }
  p.evidence = said("the largest difference is ", p.measured);
  return judged(p, p.measured == 0);
}

// Tokens of a window; 0 for a scheme that knows no end.
int64_t window_of(const Bias& scheme) {
  return std::visit(
      [](const auto& s) -> int64_t {
        if constexpr (requires { s.tokens(); })
          return s.tokens();
        else if constexpr (requires { s.window(); })
          return s.window().tokens();
        else
          return 0;
      },
      scheme);
}

}  // namespace

std::vector<Property> check_biases(const Bias& scheme, std::span<const Tensor> weights,
                                   int64_t rows) {
  check_rows(rows);
  const int64_t window = window_of(scheme);
  const int64_t tokens = std::min<int64_t>({rows, 256, window > 0 ? window : rows});
  const BiasPlan plan = prepare(scheme, {.weights = weights});
  Square s{plan, std::min<int64_t>(plan.heads(), 64), tokens, {}};
  s.values.resize(static_cast<size_t>(s.heads * tokens * tokens));
  fill(plan, tensor(s.values.data(), {s.heads, tokens, tokens}));
  return {by_distance(s), attention_by_distance(s), recency(s), one_line(s), cache(s)};
}

}  // namespace posenc
