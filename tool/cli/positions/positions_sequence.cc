// positions_sequence.cc: posenc positions range, offsets and cache.
#include <fmt/core.h>

#include "cli/memory.h"
#include "cli/options.h"
#include "cli/positions/positions_arg.h"
#include "cli/positions/positions_plan.h"
#include "posenc/positions/sequence.h"

namespace posenc::cli {
namespace {

struct RangeOptions {
  int64_t start = 0, tokens = 8;

  static Fields fields() {
    using S = RangeOptions;
    return {{"start", &S::start, "the first position"},
            {"tokens", &S::tokens, "number of tokens in each row"}};
  }
};

PositionPlan plan_range(const Call& call) {
  const auto o = read_options<RangeOptions>(call);
  check_fits("positions", o.tokens, 1, sizeof(int64_t));
  return one_part_per_row(as_usage_error([&] { return range(o.start, o.tokens); }), "token");
}

struct OffsetsOptions {
  std::string starts = "0,5";
  int64_t tokens = 8;

  static Fields fields() {
    using S = OffsetsOptions;
    return {{"starts", &S::starts, "the first position of each row or sequence"},
            {"tokens", &S::tokens, "number of tokens in each row"}};
  }
};

PositionPlan plan_offsets(const Call& call) {
  const auto o = read_options<OffsetsOptions>(call);
  const Ids starts = read_list("starts", o.starts);
  check_fits("positions", std::ssize(starts), o.tokens, sizeof(int64_t));
  return one_part_per_row(as_usage_error([&] { return per_row(view(starts), o.tokens); }), "token");
}

struct CacheOptions {
  std::string past = "3,7";
  int64_t tokens = 1;

  static Fields fields() {
    using S = CacheOptions;
    return {{"past", &S::past, "number of tokens that the cache holds, for each row"},
            {"tokens", &S::tokens, "number of tokens in each row"}};
  }
};

PositionPlan plan_cache(const Call& call) {
  const auto o = read_options<CacheOptions>(call);
  const Ids past = read_list("past", o.past);
  check_fits("positions", std::ssize(past), o.tokens, sizeof(int64_t));
  return one_part_per_row(as_usage_error([&] { return after_cache(view(past), o.tokens); }),
                          "new token");
}

}  // namespace

// "3,2,4" or "0:10:2".
Ids read_list(std::string_view option, const std::string& text) {
  if (text.empty()) refuse("expected --", option, " such as 3,2,4, got none");
  const PositionList given = parse_positions(text, 1);
  check_fits("a list", given.count, 1, sizeof(int64_t));
  Ids out;
  for (int64_t i = 0; i < given.count; ++i) out.push_back(given.whole(i));
  return out;
}

PositionPlan one_part_per_row(PlannedPositions positions, const std::string& what) {
  PositionPlan out{std::move(positions), {"position"}, {}, {}};
  const auto& p = std::get<PlannedPositions>(out.positions);
  for (int64_t r = 0; r < p.rows; ++r) {
    out.rows.push_back(fmt::format("row {}", r));
    out.parts.push_back({{what, '#', static_cast<size_t>(r), p.tokens}});
  }
  return out;
}

std::vector<PositionKind> run_kinds() {
  return {{"range", "one row of consecutive positions", options_of(RangeOptions{}), plan_range},
          {"offsets", "rows of a batch, each from its own start", options_of(OffsetsOptions{}),
           plan_offsets},
          {"cache", "new tokens after a cache whose length differs between rows",
           options_of(CacheOptions{}), plan_cache}};
}

}  // namespace posenc::cli
