// add.cc: biases added to scores.
#include "base/dispatch.h"
#include "posenc/relative.h"
#include "relative/call.h"

namespace posenc {
namespace {

void check_out(const char* verb, const Tensor& scores, const Tensor& out,
               const ScoreOptions& options) {
  check_same(verb, "out", out, scores);
  check_output(verb, out);
  check_overlap(verb, scores, out);
  check_apart(verb, out, options);
}

void check_profile(const Tensor& profile, int64_t first, const Tensor& scores) {
  const DType wanted = compute_type(scores.dtype);
  if (profile.rank != 2 || profile.dtype != wanted)
    fail(ErrorKind::tensor, "add_profile", "expected a profile as ", to_string(wanted),
         " [heads, any], got ", describe(profile));
  check_memory("add_profile", "profile", profile);
  constexpr int64_t exact_in_double = int64_t{1} << 53;
  if (first < -exact_in_double || first > exact_in_double)
    fail("add_profile", "expected a profile that begins within 2^53, got ", first);
}

void check_distances(const ScorePlaces& at, const Range& range) {
  if (!at.on_host()) return;
  const Reach reach = at.distances();
  if (reach.least < static_cast<double>(range.first) ||
      reach.most > static_cast<double>(range.end() - 1))
    fail("add_profile", "expected distances from ", range.first, " to ", range.end() - 1,
         ", as the profile has, got ", static_cast<int64_t>(reach.least), " to ",
         static_cast<int64_t>(reach.most));
}

// The heads of a call as dense rows, times the factor.
template <class C>
Scratch<C> dense(const Tensor& profile, int64_t first_head, int64_t heads, double factor) {
  const int64_t n = profile.size(1);
  Scratch<C> out(heads * n);
  for (int64_t h = 0; h < heads; ++h) {
    const C* from = static_cast<const C*>(profile.data) + (first_head + h) * profile.step(0);
    for (int64_t i = 0; i < n; ++i)
      out[h * n + i] = static_cast<C>(factor * static_cast<double>(from[i * profile.step(1)]));
  }
  return out;
}

template <class C>
void add_given(BiasSource bias, const Tensor& profile, const ScorePlaces& at, const Tensor& scores,
               const Tensor& out, double scale, Stream stream) {
  const bool as_it_is = out.device != Device::cpu || (profile.step(1) == 1 && bias.factor == 1);
  Scratch<C> copy;
  if (as_it_is) {
    bias.profile = static_cast<const C*>(profile.data) + bias.first_head * profile.step(0);
    bias.ld = profile.step(0), bias.step = profile.step(1);
  } else {
    copy = dense<C>(profile, bias.first_head, scores.size(-3), bias.factor);
    bias.profile = copy.data(), bias.ld = profile.size(1);
  }
  run(AddBiasOrder{bias, at, scores, out, scale, stream});
}

}  // namespace

void add(const BiasPlan& plan, const Tensor& scores, const Tensor& out, const ScoreOptions& options,
         Stream stream) {
  const auto& parts = plan.parts();
  check_scores("add", scores);
  const ScorePlaces at = check_call("add", parts.formula, parts.heads, scores, options);
  check_out("add", scores, out, options);
  if (out.elements() == 0) return;
  const CallBiases biases = biases_of(parts, at, options, out.device, compute_type(out.dtype));
  run(AddBiasOrder{biases.source, at, scores, out, options.scale, stream});
}

void add_profile(const Tensor& profile, int64_t first, const Tensor& scores, const Tensor& out,
                 const ScoreOptions& options, Stream stream) {
  check_scores("add_profile", scores);
  check_profile(profile, first, scores);
  static const BiasFormula by_distance{Reads::distance, true};
  const ScorePlaces at = check_call("add_profile", by_distance, profile.size(0), scores, options);
  check_out("add_profile", scores, out, options);
  check_apart("add_profile", "out", out, "the profile", profile);
  if (out.elements() == 0) return;
  const double factor = options.scale_on == ScaleOn::sum ? options.scale : 1;
  const BiasSource bias{
      nullptr, Reads::distance, options.first_head.value_or(0), factor, {first, profile.size(1)}};
  check_distances(at, bias.range);
  dispatch_compute(out.dtype, [&]<class C>() {
    add_given<C>(bias, profile, at, scores, out, options.scale, stream);
  });
}

void add(const Bias& scheme, const Tensor& scores, const ScoreOptions& options,
         const PlanOptions& plan, Stream stream) {
  add(prepare(scheme, plan), scores, options, stream);
}

}  // namespace posenc
