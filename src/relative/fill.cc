// fill.cc: biases alone, as a matrix or as the profile they lie on.
#include "base/device_weights.h"
#include "posenc/relative.h"
#include "relative/call.h"

namespace posenc {

void fill_profile(const BiasPlan& plan, const Tensor& profile, int64_t first,
                  std::optional<int64_t> first_head, Stream stream) {
  const BiasFormula& formula = plan.parts().formula;
  if (formula.reads == Reads::both)
    fail("fill_profile", "expected a scheme that reads the distance, the key or an entry, got one ",
         "that reads query and key");
  if (profile.rank != 2 || !is_float(profile.dtype))
    fail(ErrorKind::tensor, "fill_profile",
         "expected a profile as f32, f64, f16 or bf16 [heads, any], got ", describe(profile));
  const int64_t entries = formula.window.count();
  if (formula.reads == Reads::entry &&
      (first < 0 || first > entries || profile.size(1) > entries - first))
    fail("fill_profile", "expected entries from 0 to ", entries - 1, ", got ", profile.size(1),
         " from ", first, " on");
  Tensor scores = profile;  // of one query at 0
  scores.rank = 3;
  scores.shape = {profile.size(0), 1, profile.size(1)};
  scores.stride = {profile.step(0), 0, profile.step(1)};
  check_scores("fill_profile", scores);
  check_beside("fill_profile", "the profile", profile, formula.device_weights);
  check_call("fill_profile", {}, plan.heads(), scores,
             {.keys = range(first), .first_head = first_head});
  check_output("fill_profile", profile);
  if (profile.elements() > 0)
    run(ProfileOrder{formula, first_head.value_or(0), first, 1, profile, stream});
}

void fill(const BiasPlan& plan, const Tensor& out, const ScoreOptions& options, Stream stream) {
  const auto& parts = plan.parts();
  check_scores("fill", out);
  const ScorePlaces at = check_call("fill", parts.formula, parts.heads, out, options);
  check_apart("fill", out, options);
  check_output("fill", out);
  if (out.elements() == 0) return;
  const CallBiases biases = biases_of(parts, at, options, out.device, out.dtype);
  run(FillBiasOrder{biases.source, at, out, stream});
}

void fill(const Bias& scheme, const Tensor& out, const ScoreOptions& options,
          const PlanOptions& plan, Stream stream) {
  fill(prepare(scheme, plan), out, options, stream);
}

}  // namespace posenc
