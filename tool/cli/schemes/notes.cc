// notes.cc: sentences about weights nobody trained and factors somebody has to apply.
#include "cli/schemes/notes.h"

#include <fmt/core.h>

namespace posenc::cli {

void note(std::string_view sentence) {
  if (!sentence.empty()) fmt::print(stderr, "posenc: note: {}\n", sentence);
}

Json initial_weights(const Scheme& scheme, const RowsOptions& options) {
  if (!options.weights.empty() || posenc::weights(scheme).empty()) return nullptr;
  if (!starts_at_random(scheme)) return {{"random", false}, {"seed", nullptr}};
  return {{"random", true}, {"seed", options.seed.value_or(0)}};
}

std::string initial_weights_text(const Scheme& scheme, const RowsOptions& options) {
  if (initial_weights(scheme, options).is_null()) return "";
  return fmt::format(
      "the weights of {} are {}, as before any training; --weights FILE reads others",
      alternative_name(scheme),
      starts_at_random(scheme) ? fmt::format("random numbers of seed {}", options.seed.value_or(0))
                               : "the constants they start from");
}

std::string factors_text(const RotaryPlan& plan) {
  const double inside = plan.cos_sin_factor(), outside = plan.softmax_factor();
  if (inside == 1 && outside == 1) return "";
  return fmt::format(
      "cosines and sines are multiplied by {:.6g}; the softmax scale {}", inside,
      outside == 1 ? "stays as it is" : fmt::format("must be multiplied by {:.6g}", outside));
}

}  // namespace posenc::cli
