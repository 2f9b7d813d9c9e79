// plan.cc: plans of rotary schemes.
#include "rotary/plan.h"

#include <algorithm>
#include <atomic>
#include <numbers>

#include "base/device_weights.h"
#include "posenc/device_weights.h"
#include "posenc/rotary.h"
#include "rotary/frequencies.h"

namespace posenc {
namespace {

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

template <class T, class Variant>
std::optional<T> held(const Variant& v) {
  const T* value = std::get_if<T>(&v);
  return value ? std::optional<T>(*value) : std::nullopt;
}

RotarySettings settings_of(const Rope& rope, double cos_sin_factor) {
  return {{rope.dim, rope.first_feature(), rope.pairs(), rope.blocks,
           rope.layout.value_or(Layout::half)},
          {cos_sin_factor, static_cast<double>(rope.turning()),
           std::holds_alternative<Fourier>(rope.frequencies), held<XPos>(rope.decay),
           held<LogTemperature>(rope.temperature)},
          rope.row_heads(),
          rope.first_head,
          rope.rotary_heads,
          rope.offset};
}

RotaryPlan rotary_plan(const Rope& scheme, const PlanOptions& options, bool blank) {
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
  auto source = rows_of(scheme, frequencies, angles, magnitude, options.weights);
  source.end = end, source.blank = blank;
  auto table = make_plan(std::move(source), options);
  auto queries = queries_of(scheme, angles, magnitude, end, options);
  return RotaryPlan(detail::Shared<RotaryPlan::Parts>::make(
      scheme, pairs, std::move(frequencies), std::move(angles), softmax_factor_of(scheme.scaling),
      std::move(table), std::move(queries), settings_of(scheme, magnitude)));
}

}  // namespace

int64_t next_plan_number() {
  static std::atomic<int64_t> last{0};
  return ++last;
}

RotaryPlan prepare(const Rope& scheme, const PlanOptions& options) {
  return rotary_plan(scheme, options, false);
}

bool can_follow_weights(const Rope& scheme) {
  return std::holds_alternative<LearnedFrequencies>(scheme.frequencies) &&
         std::holds_alternative<NoPhases>(scheme.phases);
}

RotaryPlan prepare_for_weights(const Rope& scheme, int cuda_device) {
  if (!can_follow_weights(scheme))
    fail("prepare_for_weights", "expected learned frequencies without phases, got others");
  const ZeroWeights zeros(scheme.weights());
  return rotary_plan(scheme, {.weights = zeros.views(), .cuda_device = cuda_device}, true);
}

RotaryPlan with_weights(const RotaryPlan& plan, std::span<const Tensor> weights) {
  const RotaryPlan::Parts& from = plan.parts();
  check_device_weights(Rope::name, from.scheme.weights(), weights);
  return RotaryPlan(detail::Shared<RotaryPlan::Parts>::make(
      from.scheme, from.pairs, from.frequencies, std::vector<std::vector<Frequency>>{},
      from.softmax_factor, with_weights(from.table, weights), std::optional<AbsolutePlan>{},
      from.settings));
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
int64_t RotaryPlan::max_length() const {
  const RowSource& rows = parts().table.parts();
  return rows.table ? rows.table->rows.size(0) - rows.table->offset : rows.end;
}
double RotaryPlan::cos_sin_factor() const { return parts().settings.magnitudes.cos_sin_factor; }
double RotaryPlan::softmax_factor() const { return parts().softmax_factor; }
const AbsolutePlan& RotaryPlan::table() const { return parts().table; }

}  // namespace posenc
