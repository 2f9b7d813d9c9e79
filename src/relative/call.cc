// call.cc: checks of the bias verbs.
#include "relative/call.h"

#include "base/bits.h"
#include "base/choices.h"

namespace posenc {
namespace {

constexpr double far = 0x1p52;  // distances of positions within it are exact

void check_range(const char* verb, const char* what, const Line& line) {
  const auto limit = static_cast<int64_t>(far);
  if (line.at.first < -limit || line.at.first > limit - line.tokens)
    fail(verb, "expected positions of ", what, " within 2^52, got ", line.at.first, " and ",
         line.tokens, " tokens");
}

// Of the tokens of a window.
void check_window(const char* verb, const char* what, const Line& line, int64_t rows,
                  int64_t tokens) {
  for (int64_t row = 0; row < (line.shared() ? 1 : rows); ++row)
    for (int64_t t = 0; t < line.tokens; ++t) {
      const double p = line.value(row, t);
      if (p < 0 || p >= static_cast<double>(tokens))
        fail(verb, "expected positions of ", what, " from 0 to ", tokens - 1,
             " for this scheme, got ", p);
    }
}

}  // namespace

void check_line(const char* verb, const char* what, const Line& line, int64_t rows) {
  if (line.at.is_range()) return check_range(verb, what, line);
  const Tensor& ids = line.at.ids;
  const bool typed = is_integer(ids.dtype) || ids.dtype == DType::f64;
  if (!typed || ids.rank != 3 || ids.size(0) != 1 || (ids.size(1) != 1 && ids.size(1) != rows) ||
      ids.size(2) != line.tokens)
    fail(verb, "expected positions of ", what, " as i32, i64 or f64 [1, 1 or ", rows, ", ",
         line.tokens, "], got ", describe(ids));
  check_memory(verb, "positions", ids);
  for (int64_t row = 0; row < ids.size(1); ++row)
    for (int64_t t = 0; t < line.tokens; ++t) {
      const double p = line.value(row, t);
      if (!is_finite(p) || p < -far || p > far)
        fail(verb, "expected positions of ", what, " within 2^52, got ", p);
    }
}

BiasCall check_call(const char* verb, const BiasFormula& formula, int64_t all_heads,
                    const Tensor& scores, const ScoreOptions& options) {
  if (scores.rank < 3 || scores.rank > max_rank || !is_float(scores.dtype))
    fail(verb, "expected scores as f32, f64, f16 or bf16 [..., heads, queries, keys], got ",
         describe(scores));
  check_memory(verb, "scores", scores);
  const int64_t heads = scores.size(-3);
  if (heads > all_heads)
    fail(verb, "expected scores of up to ", all_heads, " heads, got ", describe(scores));
  if (options.first_head < 0 || options.first_head > all_heads - heads)
    fail(verb, "expected first_head from 0 to ", all_heads - heads, ", got ", options.first_head);
  check_finite(verb, "scale", options.scale);
  check_choices(verb, options.scale_on, "scale_on");
  BiasCall call{formula,
                {options.queries, scores.size(-2)},
                {options.keys, scores.size(-1)},
                Batch(scores, 3).rows,
                heads,
                options.first_head,
                options.scale_on == ScaleOn::sum ? options.scale : 1};
  check_line(verb, "queries", call.queries, call.rows);
  check_line(verb, "keys", call.keys, call.rows);
  if (formula.whole && !(call.queries.whole() && call.keys.whole()))
    fail(verb, "expected whole positions (i32 or i64) for this scheme, got f64");
  if (formula.tokens > 0) {
    check_window(verb, "queries", call.queries, call.rows, formula.tokens);
    check_window(verb, "keys", call.keys, call.rows, formula.tokens);
  }
  return call;
}

}  // namespace posenc
