// positions_packed.cc: posenc positions packed and shard.
#include <fmt/core.h>

#include "cli/memory.h"
#include "cli/options.h"
#include "cli/positions/positions_plan.h"
#include "posenc/positions/sequence.h"
#include "posenc/positions/shard.h"

namespace posenc::cli {
namespace {

Ids cumulative(const Ids& lengths) {
  Ids ends{0};
  for (int64_t length : lengths) {
    int64_t end = 0;
    if (length < 0) refuse("expected lengths of at least 0, got ", length);
    if (__builtin_add_overflow(ends.back(), length, &end))
      refuse("expected lengths whose sum fits 64 bits, got more");
    ends.push_back(end);
  }
  check_fits("positions", ends.back(), 1, sizeof(int64_t));
  return ends;
}

struct PackedOptions {
  std::string lengths = "3,2,4";
  std::string starts{};

  static Fields fields() {
    using S = PackedOptions;
    return {{"lengths", &S::lengths, "lengths of the sequences in one row"},
            {"starts", &S::starts, "the first position of each row or sequence"}};
  }
};

PositionPlan plan_packed(const Call& call) {
  const auto o = read_options<PackedOptions>(call);
  const Ids lengths = read_list("lengths", o.lengths), ends = cumulative(lengths);
  const Ids starts = o.starts.empty() ? Ids(lengths.size()) : read_list("starts", o.starts);
  PositionPlan out{
      as_usage_error([&] { return packed(view(ends), view(starts)); }), {"position"}, {}, {{}}};
  for (size_t s = 0; s < lengths.size(); ++s)
    out.parts[0].push_back(lettered(fmt::format("sequence {}", s), s, lengths[s]));
  return out;
}

struct ShardOptions {
  int64_t tokens = 16;
  std::string lengths{};
  int64_t ranks = 2;
  std::optional<int64_t> rank{};
  ShardOrder slices = ShardOrder::zigzag;

  static Fields fields() {
    using S = ShardOptions;
    return {{"tokens", &S::tokens, "number of tokens in each row"},
            {"lengths", &S::lengths, "lengths of the sequences in one row"},
            {"ranks", &S::ranks, "number of ranks that share the sequence"},
            {"rank", &S::rank, "show only this rank, from 0"},
            {"slices", &S::slices, "how the sequence is divided"}};
  }
};

// The chunks of a rank, sequence after sequence.
std::vector<TokenRun> chunks(const ShardOptions& o, const Ids& lengths, int64_t rank) {
  const bool zigzag = o.slices == ShardOrder::zigzag;
  const int64_t count = zigzag ? 2 * o.ranks : o.ranks;
  std::vector<TokenRun> out;
  for (int64_t length : lengths)
    for (int64_t chunk : zigzag ? Ids{rank, count - 1 - rank} : Ids{rank})
      out.push_back(
          lettered(fmt::format("chunk {}", chunk), static_cast<size_t>(chunk), length / count));
  return out;
}

PositionPlan plan_shard(const Call& call) {
  const auto o = read_options<ShardOptions>(call);
  if (given(call.own, "tokens") && !o.lengths.empty())
    refuse("expected --tokens or --lengths, got both");
  const Ids lengths = o.lengths.empty() ? Ids{o.tokens} : read_list("lengths", o.lengths);
  const Ids ends = cumulative(lengths);
  check_fits("ranks", o.ranks, 2, sizeof(TokenRun));
  PlannedPositions all = as_usage_error([&] { return packed(view(ends)); }), own;
  PositionPlan out{{}, {"position"}, {}, {}};
  for (int64_t rank = o.rank.value_or(0); rank < o.rank.value_or(o.ranks - 1) + 1; ++rank) {
    own = as_usage_error([&] {
      return take(all, shard_tokens(view(ends), {o.ranks, rank, o.slices}));
    });
    auto& ids = std::get<PlannedPositions>(out.positions).ids;
    ids.insert(ids.end(), own.ids.begin(), own.ids.end());
    out.rows.push_back(fmt::format("rank {}", rank));
    out.parts.push_back(chunks(o, lengths, rank));
  }
  if (out.rows.empty()) refuse("expected ranks of at least 1, got ", o.ranks);
  auto& positions = std::get<PlannedPositions>(out.positions);
  positions.rows = std::ssize(out.rows), positions.tokens = own.tokens;
  return out;
}

}  // namespace

std::vector<PositionKind> packed_kinds() {
  return {{"packed", "sequences in one row, each counted from its own start",
           options_of(PackedOptions{}), plan_packed},
          {"shard", "what each rank of a context-parallel group holds", options_of(ShardOptions{}),
           plan_shard}};
}

}  // namespace posenc::cli
