// apply_scores.cc: posenc apply for biases of scores.
#include "cli/schemes/biases.h"
#include "cli/tables/apply.h"

namespace posenc::cli {
namespace {

// What was typed, with the array's own heads when nobody said that it holds a part of them.
Call with_heads(Call call, int64_t heads) {
  if (!given(call.scheme, "heads") && !given(call.own, "first_head"))
    call.scheme.emplace_back("heads", text::write(heads));
  return call;
}

// Positions of queries or keys: those that were typed, or a run from the first.
PositionList places(const std::string& whose, std::string_view option, const std::string& typed,
                    int64_t first, int64_t tokens) {
  if (typed.empty()) return {.count = tokens, .first = first};
  auto out = parse_positions(typed, 1);
  if (out.count / out.rows == tokens) return out;
  refuse("expected --", option, " for the ", tokens, " ", option, " of ", whose, ", got ",
         out.count / out.rows);
}

void check(const Call& call) {
  for (const auto& [list, first] : {std::pair{"queries", "first_query"}, {"keys", "first_key"}})
    if (given(call.own, list) && given(call.own, first))
      refuse("expected --", list, " or --", first, ", got both");
  if (given(call.own, "scale_on") && !given(call.own, "softmax_scale"))
    refuse("expected --softmax_scale with --scale_on, got none");
}

Json report_on(const ReadyBias& ready, const ApplyOptions& options) {
  const SchemeInfo about = info(ready.scheme);
  Json out{{"scheme", about.name},
           {"options", options_tree(about.options)},
           {"causal", options.causal},
           {"first_query", options.first_query},
           {"first_key", options.first_key},
           {"first_head", options.first_head.value_or(0)},
           {"softmax_scale", options.softmax_scale.value_or(1)},
           {"scale_on", enum_name(options.scale_on)}};
  if (!options.queries.empty()) out["queries"] = options.queries, out["first_query"] = nullptr;
  if (!options.keys.empty()) out["keys"] = options.keys, out["first_key"] = nullptr;
  return out;
}

}  // namespace

Done add_biases(const Call& call, const ApplyOptions& options, const Work& work) {
  check(call);
  const Tensor scores = work.arrays[0].second.view();
  if (scores.rank < 3)
    fail("apply", options.in, ": expected scores [..., heads, queries, keys], got ",
         describe(scores));
  const ReadyBias ready = make_ready_bias(read_scheme(with_heads(call, scores.size(-3))), options);
  const auto queries = places(options.in, "queries", options.queries, options.first_query,
                              scores.size(-2)),
             keys = places(options.in, "keys", options.keys, options.first_key, scores.size(-1));
  as_usage_error([&] {
    add(ready.plan, scores, scores,
        {.queries = queries.batch(),
         .keys = keys.batch(),
         .first_head = options.first_head,
         .causal = options.causal,
         .scale = options.softmax_scale.value_or(1),
         .scale_on = options.scale_on});
  });
  return with_weights(report_on(ready, options), ready.scheme, options);
}

}  // namespace posenc::cli
