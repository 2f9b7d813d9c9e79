// check.cc: posenc check.
#include <fmt/core.h>

#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/json.h"
#include "cli/schemes/biases.h"
#include "cli/schemes/notes.h"

namespace posenc::cli {
namespace {

struct CheckOptions {
  std::string weights{}, weights_tensor{};
  std::optional<int64_t> seed{};
  int64_t tokens = 512;
  std::optional<int64_t> length{};
  bool json = false;

  static Fields fields() {
    using S = CheckOptions;
    return {{"weights", &S::weights, "file with the scheme's learned weights"},
            {"weights_tensor", &S::weights_tensor,
             "name of the tensor in that file, if it has several"},
            {"seed", &S::seed, "seed of the random initial weights (default: 0)"},
            {"tokens", &S::tokens, "number of positions to check, 2 to 4096"},
            Field("length", &S::length, "length of the whole text in tokens").of({"rotary"}),
            {"json", &S::json, "the verdicts as JSON"}};
  }
};

void run_check(const Call& call) {
  const auto options = read_options<CheckOptions>(call);
  const RowsOptions rows{"", options.weights, options.seed, options.length, options.weights_tensor};
  const Scheme scheme = read_scheme(call);
  if (asks_for_length(scheme) && options.length && *options.length < options.tokens)
    refuse("expected --length of at least --tokens, ", options.tokens,
           ", because a rule depends on it, got ", *options.length);
  const Progress progress("checking");
  const auto look = [&]<class R>(const R& ready) {
    std::vector<Tensor> weights;
    for (const Array& array : ready.weights) weights.push_back(array.view());
    model::CheckOptions given{weights, options.tokens};
    if constexpr (std::is_same_v<R, Ready>) given.length = ready.length;
    return as_usage_error([&] { return model::check(ready.scheme, given); });
  };
  const auto properties = acts_on_scores(call.words[0]) ? look(make_ready_bias(scheme, rows))
                                                        : look(make_ready(scheme, rows));
  note(initial_weights_text(scheme, rows));
  if (options.json) {
    Json out = model::check_tree(scheme, properties);
    if (Json initial = initial_weights(scheme, rows); !initial.is_null())
      out["initial_weights"] = std::move(initial);
    return print(dump(out));
  }
  for (const model::Property& p : properties)
    print(fmt::format("{:<14} {}\n{:<14} {}\n\n", enum_name(p.verdict),
                      wrapped(p.name + ": " + p.claim, 15), "", wrapped(p.evidence, 15)));
}

}  // namespace

Command check_command() {
  return {"check",
          "check common claims about encodings on the numbers of a scheme",
          takes_scheme,
          "Absolute schemes: rows are unique, each pair is periodic, offsets can be read from\n"
          "products of rows, and one matrix M_k moves all rows. Not every\n"
          "claim is true of every scheme: compare the presets paper and per-column.\n\n"
          "Rotary schemes: scores depend on the offset only, norms are preserved, the adjoint\n"
          "inverts the rotation, layouts agree, every pair completes a turn within the text,\n"
          "and no factor is left for the caller to apply.\n\n"
          "Biases: they depend only on the distance, or at least softmax does, nearer keys get\n"
          "larger biases, one vector per head serves all queries, and a cache changes nothing.\n",
          options_of(CheckOptions{}),
          {"posenc check sinusoidal --dim 64",
           "posenc check sinusoidal --preset per-column --dim 64", "posenc check time2vec --json",
           "posenc check rope --preset deepseek-v3", "posenc check alibi"},
          run_check};
}

}  // namespace posenc::cli
