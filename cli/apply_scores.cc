// apply_scores.cc: posenc apply for biases of scores.
#include <algorithm>

#include "apply.h"
#include "biases.h"
#include "json.h"

namespace posenc::cli {
namespace {

bool given(const Options& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const auto& option) { return option.first == name; });
}

// What was typed, with the array's own heads when nobody said that it holds a part of them.
Call with_heads(Call call, int64_t heads) {
  if (!given(call.scheme, "heads") && !given(call.own, "first_head"))
    call.scheme.emplace_back("heads", text::write(heads));
  return call;
}

Json note_on(const ReadyBias& ready, const ApplyOptions& options) {
  const SchemeInfo about = info(ready.scheme);
  return {{"scheme", about.name},
          {"options", options_json(about)},
          {"causal", options.causal},
          {"first_query", options.first_query},
          {"first_key", options.first_key},
          {"first_head", options.first_head},
          {"softmax_scale", options.softmax_scale},
          {"scale_on", enum_name(options.scale_on)}};
}

}  // namespace

Metadata add_biases(const Call& call, const ApplyOptions& options, const Work& work) {
  const auto& [name, array] = work.arrays[0];
  const Tensor scores = array.view();
  if (scores.rank < 3)
    fail("apply", options.in, ": expected scores [..., heads, queries, keys], got ",
         describe(scores));
  const ReadyBias ready = make_ready_bias(read_scheme(with_heads(call, scores.size(-3))), options);
  typed([&] {
    add(ready.plan, scores, scores,
        {.queries = range(options.first_query),
         .keys = range(options.first_key),
         .first_head = options.first_head,
         .causal = options.causal,
         .scale = options.softmax_scale,
         .scale_on = options.scale_on});
  });
  return {{"posenc." + name, note_on(ready, options).dump()}};
}

}  // namespace posenc::cli
