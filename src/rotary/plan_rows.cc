// plan_rows.cc: the rows of cosines and sines that rotary plans are made of.
#include <algorithm>
#include <numbers>

#include "rotary/plan.h"

namespace posenc {
namespace {

// Phases of every pair of every head, as keys have them.
std::vector<double> phases_of(const Rope& rope, std::span<const Tensor> weights) {
  return std::holds_alternative<LearnedPhases>(rope.phases) ? values(weights[0])
                                                            : std::vector<double>{};
}

// Where learned frequencies of a pair come from: turns are radians / 2 pi.
std::vector<Link> links_of(const Rope& rope, int64_t pair) {
  const auto* learned = std::get_if<LearnedFrequencies>(&rope.frequencies);
  std::vector<Link> out;
  for (int64_t a = 0; learned && a < learned->axes; ++a)
    out.push_back({0, pair * learned->axes + a, 0.5 / std::numbers::pi});
  return out;
}

// The phase of a pair of a head: within its bounds, and linked to its weight unless beyond them.
void add_phase(Wave& wave, std::span<const double> phases, int64_t pair) {
  if (phases.empty()) return;
  constexpr double turn = 2 * std::numbers::pi;
  const double given = phases[static_cast<size_t>(pair)], phase = std::clamp(given, -turn, 0.0);
  wave.phase += frequency(phase).hi;
  wave.offset_link = {0, pair, given == phase ? 1 / turn : 0};
}

}  // namespace

std::vector<std::vector<Frequency>> angles_of(const Rope& rope, const std::vector<PairAxis>& pairs,
                                              const std::vector<Frequency>& frequencies,
                                              std::span<const Tensor> weights) {
  const auto axes = static_cast<size_t>(rope.axis_count());
  std::vector<std::vector<Frequency>> out;
  if (std::holds_alternative<LearnedFrequencies>(rope.frequencies)) {
    const auto learned = values(weights[0]);
    for (size_t i = 0; i < learned.size(); i += axes) {
      out.emplace_back();
      for (size_t a = 0; a < axes; ++a) {
        const double w = learned[i + a];
        out.back().push_back(
            frequency(rope.numerics == Numerics::exact ? w : static_cast<float>(w)));
      }
    }
    return out;
  }
  // Mixtures of frequencies have rows of their own for each head.
  const bool mixed = std::holds_alternative<Fourier>(rope.frequencies);
  for (int64_t head = 0; head < (mixed ? 1 : rope.row_heads()); ++head)
    for (size_t k = 0; k < pairs.size(); ++k) {
      out.emplace_back(axes);
      out.back()[static_cast<size_t>(pairs[k].axis)] = frequencies[k];
    }
  return out;
}

RowSource cos_sin_source(const std::vector<std::vector<Frequency>>& angles, int64_t pairs,
                         int64_t axes, double magnitude, const Rope& rope,
                         std::span<const double> phases) {
  const double sine = rope.sign == Sign::positive ? magnitude : -magnitude;
  std::vector<Wave> columns;
  for (auto head = angles.begin(); head != angles.end(); head += pairs)
    for (const bool is_sine : {false, true})
      for (auto angle = head; angle != head + pairs; ++angle) {
        columns.push_back({.kind = Wave::Kind::sine,
                           .frequency = *angle,
                           .phase = is_sine ? 0 : quarter_turn,
                           .amplitude = is_sine ? sine : magnitude,
                           .rate_link = links_of(rope, angle - angles.begin())});
        add_phase(columns.back(), phases, angle - angles.begin());
      }
  RowSource source;
  source.dim = std::ssize(columns), source.axes = axes, source.range_on_all_axes = true;
  const auto shift = static_cast<double>(rope.offset);
  const bool f32_product = rope.numerics == Numerics::torch_f32;
  source.waves = make_waves(std::move(columns), axes, shift, f32_product);
  for (const Weight& weight : rope.weights()) source.shapes.push_back(weight.shape);
  if (!source.shapes.empty()) add_derivatives(source, shift);
  return source;
}

RowSource rows_of(const Rope& scheme, const std::vector<Frequency>& frequencies,
                  const std::vector<std::vector<Frequency>>& angles, double magnitude,
                  std::span<const Tensor> weights) {
  if (std::holds_alternative<Fourier>(scheme.frequencies))
    return mixed_source(scheme, frequencies, weights[0]);
  return cos_sin_source(angles, scheme.pairs(), scheme.axis_count(), magnitude, scheme,
                        phases_of(scheme, weights));
}

std::optional<AbsolutePlan> queries_of(const Rope& scheme,
                                       const std::vector<std::vector<Frequency>>& angles,
                                       double magnitude, int64_t end, const PlanOptions& options) {
  if (std::holds_alternative<NoPhases>(scheme.phases)) return std::nullopt;
  Rope plain = scheme;
  plain.phases = NoPhases{};
  RowSource source = cos_sin_source({angles.begin(), angles.begin() + scheme.pairs()},
                                    scheme.pairs(), scheme.axis_count(), magnitude, plain);
  source.end = end;
  return make_plan(std::move(source), options);
}

}  // namespace posenc
