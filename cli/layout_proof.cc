// layout_proof.cc: from weights to scores, as a model would.
#include "layout_proof.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "posenc/rotary.h"
#include "rows.h"

namespace posenc::cli {
namespace {

using Layer = std::vector<Part>;
using Numbers = std::vector<double>;

// The input is the same for queries and keys, old and new.
Numbers random_input(size_t count) {
  std::mt19937_64 bits(1);
  Numbers out(count);
  for (double& x : out) x = static_cast<double>(static_cast<int64_t>(bits())) * 0x1p-63;
  return out;
}

Numbers projected(const Array& weight) {
  const auto rows = static_cast<size_t>(weight.shape[0]);
  const auto columns = static_cast<size_t>(weight.shape[1]);
  const Numbers w = as_doubles(weight), x = random_input(columns);
  Numbers out(rows);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) out[r] += w[r * columns + c] * x[c];
  return out;
}

bool has_projection(const Layer& layer, bool query) {
  return std::any_of(layer.begin(), layer.end(), [&](const Part& part) {
    return part.is_query == query && part.role == Part::Role::projection;
  });
}

// All heads of a query or key: projections, plus biases, times gains.
Numbers made_by(const Layer& layer, bool query, Array Part::*when) {
  Numbers out;
  for (const auto role : {Part::Role::projection, Part::Role::bias, Part::Role::gain})
    for (const Part& part : layer) {
      if (part.is_query != query || part.role != role) continue;
      if (role == Part::Role::projection) {
        out = projected(part.*when);
        continue;
      }
      const Numbers values = as_doubles(part.*when);
      for (size_t i = 0; i < out.size(); ++i)
        out[i] = role == Part::Role::bias ? out[i] + values[i % values.size()]
                                          : out[i] * values[i % values.size()];
    }
  return out;
}

Numbers scores(const Layer& layer, Array Part::*when, Layout layout, const HeadSpan& span) {
  const bool queries = has_projection(layer, true), keys = has_projection(layer, false);
  Numbers q = made_by(layer, queries, when), k = made_by(layer, !keys, when);
  const auto plan = prepare(Rope{.dim = span.dim,
                                 .layout = layout,
                                 .rotary_dim = span.rotary_dim,
                                 .rotary_offset = span.rotary_offset,
                                 .blocks = span.blocks});
  const int64_t dim = span.dim, heads = std::ssize(q) / dim, key_heads = std::ssize(k) / dim;
  rotate(plan, {tensor(q.data(), {1, heads, dim}), {}}, range(1000));
  rotate(plan, {{}, tensor(k.data(), {1, key_heads, dim})}, range(7));
  Numbers out;
  for (int64_t h = 0; h < heads; ++h) {
    const double* const key = k.data() + h * key_heads / heads * dim;
    double sum = 0;
    for (int64_t i = 0; i < dim; ++i) sum += q[static_cast<size_t>(h * dim + i)] * key[i];
    out.push_back(sum);
  }
  return out;
}

}  // namespace

Proof prove(const std::vector<Layer>& layers, Layout from, Layout to, const HeadSpan& span) {
  Proof out;
  for (const Layer& layer : layers) {
    if (!has_projection(layer, true) && !has_projection(layer, false)) continue;
    const Numbers before = scores(layer, &Part::before, from, span);
    const Numbers after = scores(layer, &Part::after, to, span);
    for (size_t h = 0; h < before.size(); ++h) {
      out.largest = std::max(out.largest, std::abs(before[h]));
      out.difference = std::max(out.difference, std::abs(before[h] - after[h]));
    }
    ++out.layers;
  }
  return out;
}

}  // namespace posenc::cli
