// layout_proof.cc: from weights to scores, as a model would.
#include "cli/convert/layout_proof.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/bits.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "cli/schemes/rows.h"
#include "posenc/rotary.h"

namespace posenc::cli {
namespace {

Numbers random_input(size_t count) {
  std::mt19937_64 bits(1);
  Numbers out(count);
  for (double& x : out) x = static_cast<double>(static_cast<int64_t>(bits())) * 0x1p-63;
  return out;
}

Numbers projected(const Array& weight) {
  const auto rows = static_cast<size_t>(weight.shape[0]);
  const auto columns = static_cast<size_t>(weight.shape[1]);
  const Numbers x = random_input(columns);
  Numbers out(rows);
  dispatch(weight.dtype, [&]<class T>() {
    const auto* w = reinterpret_cast<const T*>(weight.bytes.data());
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c) out[r] += as_double(w[r * columns + c]) * x[c];
  });
  return out;
}

// Heads with their turning features, and where those begin.
struct Heads {
  Numbers values;
  int64_t dim, turning, first;

  int64_t count() const { return std::ssize(values) / dim; }
  const double* head(int64_t h) const { return values.data() + h * dim; }
  double norm(int64_t h) const {
    double sum = 0;
    for (int64_t i = 0; i < dim; ++i) sum += head(h)[i] * head(h)[i];
    return std::sqrt(sum);
  }
};

Heads turned(Numbers values, const HeadSpan& span, Layout layout, int64_t position) {
  const int64_t turning = span.rotary_dim.value_or(span.dim);
  const int64_t first = span.rotary_offset < 0 ? span.dim + span.rotary_offset : span.rotary_offset;
  const Rope rope{.dim = span.dim,
                  .layout = layout,
                  .rotary_dim = span.rotary_dim,
                  .rotary_offset = span.rotary_offset,
                  .blocks = span.blocks};
  Heads out{std::move(values), span.dim, turning, first};
  rotate(prepare(rope), {tensor(out.values.data(), {1, out.count(), span.dim}), {}},
         range(position));
  return out;
}

double score(const Heads& q, int64_t h, const Heads& k, int64_t key) {
  const bool alike = q.dim == k.dim;
  const double* const a = q.head(h) + (alike ? 0 : q.first);
  const double* const b = k.head(key) + (alike ? 0 : k.first);
  double sum = 0;
  for (int64_t i = 0; i < (alike ? q.dim : q.turning); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Numbers effect(const Array& weight, Role role) {
  return role == Role::projection ? projected(weight) : as_doubles(weight);
}

void add_effect(Numbers& made, const Numbers& effect, Role role) {
  if (role == Role::projection || role == Role::heads) made = effect;
  for (size_t i = 0; i < made.size(); ++i) {
    if (role == Role::bias) made[i] += effect[i % effect.size()];
    if (role == Role::gain) made[i] *= effect[i % effect.size()];
  }
}

void prove(Proof& proof, const Made& queries, const Made& keys, Layout from, Layout to) {
  const Heads q = turned(queries.before, queries.span, from, 1000);
  const Heads k = turned(keys.before, keys.span, from, 7);
  const Heads new_q = turned(queries.after, queries.span, to, 1000);
  const Heads new_k = turned(keys.after, keys.span, to, 7);
  double largest = 0;
  for (int64_t h = 0; h < q.count(); ++h) {
    const int64_t key = h * k.count() / q.count();
    const double before = score(q, h, k, key), after = score(new_q, h, new_k, key);
    const double difference = std::abs(before - after);
    // Two sums of dim products in another order, and turns that are right to some last digits: each
    // errs by less than (dim + 8) eps times the sum of |q k|, which the norms bound.
    const double bound = 2 * (static_cast<double>(q.dim) + 8) * 0x1p-52 * q.norm(h) * k.norm(key);
    largest = std::max(largest, std::abs(before));
    proof.difference = std::max(proof.difference, difference);
    if (!is_finite(before) || !is_finite(after))
      proof.fault = "expected finite weights, got some that are not";
    else if (difference > bound)
      proof.fault = fmt::format("expected equal scores, got some that differ by {}", difference);
  }
  if (largest == 0 && proof.fault.empty())
    proof.fault = "expected weights that give scores, got zeros, on which nothing can be proven";
  proof.largest = std::max(proof.largest, largest);
  ++proof.layers;
}

}  // namespace posenc::cli
