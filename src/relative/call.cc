// call.cc: checks of the verbs on scores.
#include "relative/call.h"

#include "base/bits.h"
#include "base/device_weights.h"

namespace posenc {
namespace {

constexpr double most_position = 0x1p52;  // distances of positions within it are exact

void check_range(const char* verb, const char* what, const Places& at) {
  const auto limit = static_cast<int64_t>(most_position);
  if (at.at.first < -limit || at.at.first > limit - at.tokens)
    fail(verb, "expected positions of ", what, " within 2^52, got ", at.at.first, " and ",
         at.tokens, " tokens");
}

// Of the tokens of a window.
void check_window(const char* verb, const char* what, const ScorePlaces& call, const Places& at,
                  int64_t tokens) {
  if (!at.on_host()) return;
  const auto end = static_cast<double>(tokens);
  const Reach reach = call.reach(at);
  if (at.tokens > 0 && (reach.least < 0 || reach.most >= end))
    fail(verb, "expected positions of ", what, " from 0 to ", tokens - 1, " for this scheme, got ",
         reach.least < 0 ? reach.least : reach.most);
}

// Of the last axis, from 0 to before `end`.
void check_segments(const char* verb, const char* what, const Places& at, int64_t end) {
  if (!at.on_host() || at.tokens == 0) return;
  const int64_t rows = at.at.is_range() ? 1 : at.at.ids.size(1);
  for (int64_t n = 0; n < rows * at.tokens; ++n) {
    const int64_t segment = at.integer(at.axes() - 1, n / at.tokens, n % at.tokens);
    if (segment < 0 || segment >= end)
      fail(verb, "expected segments of ", what, " from 0 to ", end - 1, ", got ", segment);
  }
}

// The distances, keys or entries that a call reads, if they lie close enough for a profile.
Range profile_range(const BiasFormula& formula, const ScorePlaces& at) {
  if (formula.reads == Reads::entry) return {0, formula.window.count()};
  if (formula.reads == Reads::both || !at.whole() || !at.on_host()) return {};
  const Reach reach = formula.reads == Reads::key ? at.reach(at.keys) : at.distances();
  const double length = reach.most - reach.least + 1;
  const auto tokens = static_cast<double>(at.queries.tokens + at.keys.tokens);
  if (length > 8 * tokens + 1024) return {};
  return {static_cast<int64_t>(reach.least), static_cast<int64_t>(length)};
}

}  // namespace

void check_scores(const char* verb, const Tensor& scores) {
  if (scores.rank < 3 || scores.rank > max_rank || !is_float(scores.dtype))
    fail(ErrorKind::tensor, verb,
         "expected scores as f32, f64, f16 or bf16 [..., heads, queries, keys], got ",
         describe(scores));
  check_memory(verb, "scores", scores);
}

void check_places(const char* verb, const char* what, const Places& at, int64_t rows,
                  int64_t axes) {
  if (at.at.is_range()) return check_range(verb, what, at);
  const Tensor& ids = at.at.ids;
  const bool typed = is_integer(ids.dtype) || ids.dtype == DType::f64;
  if (!typed || ids.rank != 3 || (ids.size(0) != 1 && ids.size(0) != axes) ||
      (ids.size(1) != 1 && ids.size(1) != rows) || ids.size(2) != at.tokens)
    fail(ErrorKind::tensor, verb, "expected positions of ", what, " as i32, i64 or f64 [1",
         axes > 1 ? " or " + std::to_string(axes) : "", ", 1 or ", rows, ", ", at.tokens, "], got ",
         describe(ids));
  check_memory(verb, "positions", ids);
  if (!at.on_host()) return;
  for (int64_t n = 0; n < ids.size(0) * ids.size(1) * at.tokens; ++n) {
    const int64_t row = n / at.tokens;
    const double p = at.value(row / ids.size(1), row % ids.size(1), n % at.tokens);
    if (!is_finite(p) || p < -most_position || p > most_position)
      fail(verb, "expected positions of ", what, " within 2^52, got ", p);
  }
}

ScorePlaces check_options(const char* verb, const Tensor& scores, const ScoreOptions& options,
                          bool whole, int64_t axes) {
  check_finite(verb, "scale", options.scale);
  check_choices(verb, options.scale_on, "scale_on");
  const ScorePlaces at{{options.queries, scores.size(-2)},
                       {options.keys, scores.size(-1)},
                       Batch(scores, 3).rows,
                       options.causal};
  check_places(verb, "queries", at.queries, at.rows, axes);
  check_places(verb, "keys", at.keys, at.rows, axes);
  if (whole && !at.whole())
    fail(verb, "expected whole positions (i32 or i64) for this scheme, got f64");
  return at;
}

int64_t check_first_head(const char* verb, int64_t all_heads, const Tensor& scores,
                         const ScoreOptions& options) {
  const int64_t heads = scores.size(-3), first = options.first_head.value_or(0);
  if (heads > all_heads)
    fail(ErrorKind::tensor, verb, "expected scores of up to ", all_heads, " heads, got ",
         describe(scores));
  if (!options.first_head && heads < all_heads)
    fail(ErrorKind::tensor, verb, "expected scores of all ", all_heads,
         " heads, or first_head where they hold some of them, got ", describe(scores));
  if (first < 0 || first > all_heads - heads)
    fail(verb, "expected first_head from 0 to ", all_heads - heads, ", got ", first);
  return first;
}

ScorePlaces check_call(const char* verb, const BiasFormula& formula, int64_t all_heads,
                       const Tensor& scores, const ScoreOptions& options) {
  check_beside(verb, "scores", scores, formula.device_weights);
  check_first_head(verb, all_heads, scores, options);
  const ScorePlaces at = check_options(verb, scores, options, formula.whole, formula.axes());
  if (formula.reads == Reads::entry) {
    check_window(verb, "queries", at, at.queries, formula.window.tokens());
    check_window(verb, "keys", at, at.keys, formula.window.tokens());
  }
  if (formula.last_axis_end > 0) {
    check_segments(verb, "queries", at.queries, formula.last_axis_end);
    check_segments(verb, "keys", at.keys, formula.last_axis_end);
  }
  return at;
}

BiasSource bias_source(const BiasFormula& formula, const ScorePlaces& at,
                       const ScoreOptions& options) {
  const double factor = options.scale_on == ScaleOn::sum ? options.scale : 1;
  return {&formula, formula.reads, options.first_head.value_or(0), factor,
          profile_range(formula, at)};
}

CallBiases biases_of(const BiasPlan::Parts& parts, const ScorePlaces& at,
                     const ScoreOptions& options, Device device, DType dtype) {
  CallBiases out{bias_source(parts.formula, at, options)};
  BiasSource& source = out.source;
  if (device != Device::cpu || source.range.count == 0) return out;
  out.profile = parts.profiles.get(parts.formula, parts.heads, dtype, source.factor, source.range);
  const Profile& found = *out.profile;
  source.range = found.range, source.ld = found.ld;
  source.profile = found.memory.data() + source.first_head * found.ld * size_of(dtype);
  return out;
}

}  // namespace posenc
