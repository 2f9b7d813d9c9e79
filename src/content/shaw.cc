// shaw.cc: which row of the table a distance reads.
#include "posenc/content/shaw.h"

#include "content/formula.h"

#include <algorithm>

namespace posenc {

Fields Shaw::fields() {
  using S = Shaw;
  return {{"dim", &S::dim, "head size"},
          {"heads", &S::heads, "heads with a table each; 0: all heads share one"},
          {"left", &S::left, "the farthest key before the query that has its own row"},
          {"right", &S::right, "the farthest key after the query that has its own row"},
          {"beyond", &S::beyond, "farther keys: the last row, or nothing"},
          {"order", &S::order, "what grows from row to row"}};
}

std::vector<Preset<Shaw>> Shaw::presets() {
  return {{"paper", "Shaw et al. 2018", {}},
          {"wav2vec2-bert", "Wav2Vec2-BERT: 64 frames back, 8 ahead", {.left = 64, .right = 8}},
          {"vits",
           "VITS: nothing beyond 4 tokens",
           {.dim = 96, .left = 4, .right = 4, .beyond = Beyond::zero}},
          {"speecht5",
           "SpeechT5: rows by query - key, from -160 to 159",
           {.left = 159, .right = 160, .order = RowOrder::query_minus_key}},
          {"inkling",
           "Inkling's distance bank, transposed; q is r_proj of the hidden states",
           {.dim = 16,
            .left = 1023,
            .right = 0,
            .beyond = Beyond::zero,
            .order = RowOrder::query_minus_key}}};
}

std::vector<Weight> Shaw::weights() const {
  if (heads > 0) return {{"table", {heads, rows(), dim}, 0, 0.02}};
  return {{"table", {rows(), dim}, 0, 0.02}};
}

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

TermFormula Shaw::formula(const WeightLists&) const {
  const bool forward = order == RowOrder::key_minus_query;
  LookupPart part{.dim = dim, .rows = rows(), .row_step = dim, .weight = 0};
  DistanceRows& rule = part.rule.distance;
  rule.sign = forward ? 1 : -1;
  rule.low = forward ? -left : -right, rule.high = forward ? right : left;
  if (beyond == Beyond::zero) rule.least = -left, rule.most = right;
  if (heads > 0) part.head_step = part.rows * dim;
  return {.form = RowLookups{}.add(part), .in_values = true};
}

}  // namespace posenc
