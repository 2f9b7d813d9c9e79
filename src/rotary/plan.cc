// plan.cc: plans of rotary schemes.
#include "rotary/plan.h"

#include <algorithm>
#include <numbers>

#include "base/check.h"
#include "rotary/frequencies.h"

namespace posenc {
namespace {

// One frequency for each axis of each pair of each head.
std::vector<std::vector<Frequency>> angles_of(const Rope& rope, const std::vector<PairAxis>& pairs,
                                              const std::vector<Frequency>& frequencies,
                                              std::span<const Tensor> weights) {
  const auto axes = static_cast<size_t>(rope.axis_count());
  std::vector<std::vector<Frequency>> out;
  if (!weights.empty()) {
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
  for (size_t k = 0; k < pairs.size(); ++k) {
    out.emplace_back(axes);
    out.back()[static_cast<size_t>(pairs[k].axis)] = frequencies[k];
  }
  return out;
}

double cos_sin_factor_of(const Scaling& scaling, int64_t length) {
  return std::visit(
      [&](const auto& rule) {
        if constexpr (requires { rule.cos_sin_factor(length); }) return rule.cos_sin_factor(length);
        return 1.0;
      },
      scaling);
}

double softmax_factor_of(const Scaling& scaling) {
  return std::visit(
      [](const auto& rule) {
        if constexpr (requires { rule.softmax_factor(); }) return rule.softmax_factor();
        return 1.0;
      },
      scaling);
}

bool same_options(const std::optional<Rope>& a, const std::optional<Rope>& b) {
  if (!a || !b) return !a && !b;
  const auto x = options_of(*a), y = options_of(*b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const Option& l, const Option& r) { return l.value == r.value; });
}

// How long texts may be that have the frequencies of one of `length` tokens.
int64_t served_by(const Scaling& scaling, int64_t length) {
  if (length < 0) fail("prepare", "expected a length of the text of at least 0, got ", length);
  return std::visit(
      [&](const auto& rule) {
        if constexpr (requires { rule.serves(length); }) {
          if (length == 0)
            fail("prepare", "expected the length of the text, which scaling ", rule.name,
                 " depends on, got ", length);
          return rule.serves(length);
        }
        return INT64_MAX;
      },
      scaling);
}

// Where learned frequencies of a pair come from: turns are radians / 2 pi.
std::vector<Link> links_of(const Rope& rope, int64_t pair) {
  const auto* learned = std::get_if<LearnedFrequencies>(&rope.frequencies);
  std::vector<Link> out;
  for (int64_t a = 0; learned && a < learned->axes; ++a)
    out.push_back({0, pair * learned->axes + a, 0.5 / std::numbers::pi});
  return out;
}

template <class T, class Variant>
std::optional<T> held(const Variant& v) {
  const T* value = std::get_if<T>(&v);
  return value ? std::optional<T>(*value) : std::nullopt;
}

Turning turning_of(const Rope& rope, double cos_sin_factor) {
  const auto* learned = std::get_if<LearnedFrequencies>(&rope.frequencies);
  return {{rope.dim, rope.first_feature(), rope.pairs(), rope.blocks,
           rope.layout.value_or(Layout::half)},
          {cos_sin_factor, static_cast<double>(rope.turning()), held<XPos>(rope.decay),
           held<LogTemperature>(rope.temperature)},
          learned ? learned->heads : 1,
          rope.first_head,
          rope.rotary_heads,
          rope.offset};
}

}  // namespace

RowSource turning_source(const std::vector<std::vector<Frequency>>& angles, int64_t pairs,
                         int64_t axes, double magnitude, const Rope& rope) {
  const double sine = rope.sign == Sign::positive ? magnitude : -magnitude;
  std::vector<Wave> columns;
  for (auto head = angles.begin(); head != angles.end(); head += pairs)
    for (const bool is_sine : {false, true})
      for (auto angle = head; angle != head + pairs; ++angle)
        columns.push_back({.kind = Wave::Kind::sine,
                           .frequency = *angle,
                           .phase = is_sine ? 0 : quarter_turn,
                           .amplitude = is_sine ? sine : magnitude,
                           .rate_link = links_of(rope, angle - angles.begin())});
  RowSource source;
  source.dim = std::ssize(columns), source.axes = axes, source.range_on_all_axes = true;
  const auto shift = static_cast<double>(rope.offset);
  const bool f32_product = rope.numerics == Numerics::torch_f32;
  source.waves = make_waves(std::move(columns), axes, shift, f32_product);
  for (const Weight& weight : rope.weights()) source.shapes.push_back(weight.shape);
  if (!source.shapes.empty()) add_derivatives(source, shift);
  return source;
}

RotaryPlan prepare(const Rope& scheme, const PlanOptions& options) {
  const int64_t length = options.length;
  check_choices(scheme.name, scheme);
  scheme.check();
  const int64_t end = served_by(scheme.scaling, length);
  check_weights(scheme.name, scheme.weights(), options.weights);
  const double magnitude = cos_sin_factor_of(scheme.scaling, length);
  const auto pairs =
      scheme.pairs() ? pair_axes(scheme.axes, scheme.pairs()) : std::vector<PairAxis>{};
  auto frequencies = pair_frequencies(scheme, length);
  auto angles = angles_of(scheme, pairs, frequencies, options.weights);
  auto source = turning_source(angles, scheme.pairs(), scheme.axis_count(), magnitude, scheme);
  source.end = end;
  auto table = make_plan(std::move(source), options);
  return RotaryPlan(detail::Shared<RotaryPlan::Parts>::make(
      scheme, pairs, std::move(frequencies), std::move(angles), softmax_factor_of(scheme.scaling),
      std::move(table), turning_of(scheme, magnitude)));
}

std::vector<std::optional<RotaryPlan>> prepare_layers(std::span<const std::optional<Rope>> layers,
                                                      const PlanOptions& options) {
  std::vector<std::optional<RotaryPlan>> out;
  for (const auto& layer : layers) {
    const auto same = std::find_if(layers.begin(), layers.begin() + std::ssize(out),
                                   [&](const auto& other) { return same_options(layer, other); });
    const auto at = static_cast<size_t>(same - layers.begin());
    if (at < out.size()) {
      out.push_back(out[at]);
    } else {
      out.push_back(layer ? std::optional(prepare(*layer, options)) : std::nullopt);
    }
  }
  return out;
}

const Rope& RotaryPlan::scheme() const { return parts().scheme; }
int64_t RotaryPlan::axes() const { return parts().scheme.axis_count(); }
const std::vector<Frequency>& RotaryPlan::frequencies() const& { return parts().frequencies; }
const std::vector<PairAxis>& RotaryPlan::pairs() const& { return parts().pairs; }
int64_t RotaryPlan::max_length() const { return parts().table.parts().end; }
double RotaryPlan::cos_sin_factor() const { return parts().turning.magnitudes.cos_sin_factor; }
double RotaryPlan::softmax_factor() const { return parts().softmax_factor; }
const AbsolutePlan& RotaryPlan::table() const { return parts().table; }

}  // namespace posenc
