// rates.cc: frequencies of pairs, of learned pairs and of columns.
#include "cli/schemes/rates.h"

#include <cmath>
#include <numbers>

namespace posenc::cli {
namespace {

Rates rotary_rates(const Ready& ready) {
  Ready plain{ready.scheme, {}, {}, 0};
  Rope& rope = std::get<Rope>(plain.scheme);
  rope.scaling = NoScaling{}, rope.phases = NoPhases{};
  const bool mixed = std::holds_alternative<Fourier>(rope.frequencies);
  if (mixed) rope.frequencies = Powers{};
  const RotaryPlan plan = *turning_plan(ready);
  Rates out{"pair", {}};
  if (std::holds_alternative<LearnedFrequencies>(rope.frequencies)) {  // [heads, pairs, axes]
    const auto learned = as_doubles(ready.weights[0]);
    const auto& shape = ready.weights[0].shape;
    for (int64_t i = 0; i < std::ssize(learned); ++i) {
      const double f = learned[static_cast<size_t>(i)];
      out.list.push_back({i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2], f, f});
    }
    return out;
  }
  const RotaryPlan unscaled = *turning_plan(plain);
  for (size_t k = 0; k < plan.frequencies().size(); ++k) {
    const double f = radians(plan.frequencies()[k]);  // 0 where a mixture does not keep it
    out.list.push_back({0, static_cast<int64_t>(k), plan.pairs()[k].axis, f,
                        mixed && f == 0 ? 0 : radians(unscaled.frequencies()[k])});
  }
  return out;
}

// A sine turns, on the axes whose coordinate counts; lines and zeros do not.
std::vector<Rate> wave_rates(const std::vector<Wave>& waves) {
  std::vector<Rate> out;
  for (size_t c = 0; c < waves.size(); ++c)
    for (size_t a = 0; a < waves[c].frequency.size(); ++a)
      if (const double f = radians(waves[c].frequency[a]); f != 0 || waves[c].frequency.size() == 1)
        out.push_back({0, static_cast<int64_t>(c), static_cast<int64_t>(a), f, f});
  return out;
}

}  // namespace

double Rate::wavelength() const { return 2 * std::numbers::pi / std::abs(frequency); }

Rates rates_of(const Ready& ready) {
  if (as_family<Rotary>(ready.scheme)) return rotary_rates(ready);
  const auto weights = ready.views();
  return std::visit(
      [&](const auto& scheme) -> Rates {
        if constexpr (requires { scheme.frequencies(); }) {
          std::vector<Rate> list;
          for (const Frequency& f : scheme.frequencies())
            list.push_back({0, std::ssize(list), 0, radians(f), radians(f)});
          return {std::ssize(list) == ready.plan.dim() ? "column" : "pair", std::move(list)};
        } else if constexpr (requires { scheme.waves(weights); }) {
          return {"column", wave_rates(scheme.waves(weights))};
        } else {
          refuse("expected a scheme of waves, got ", scheme.name,
                 ", whose rows have no wavelengths");
        }
      },
      ready.scheme);
}

std::vector<Rate> merged(const std::vector<Rate>& rates) {
  std::vector<Rate> out;
  for (const Rate& rate : rates) {
    if (out.empty() || out.back().head != rate.head || out.back().index != rate.index) {
      out.push_back(rate);
    } else {
      out.back().frequency = std::hypot(out.back().frequency, rate.frequency);
      out.back().unscaled = std::hypot(out.back().unscaled, rate.unscaled);
    }
  }
  return out;
}

}  // namespace posenc::cli
