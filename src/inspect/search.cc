// search.cc: presets, varied ever more, until something explains the sample.
#include "search.h"

#include <algorithm>
#include <cmath>

#include "base/interrupt.h"
#include "compare.h"
#include "offset.h"
#include "variation.h"

namespace posenc::inspect {
namespace {

constexpr double near = 0.1;  // explanations that cost so little more are worth a look

// The factor on unit sines becomes the scheme's amplitude: the preset's own, or a scale.
void set_amplitude(Candidate& c, double factor, double error) {
  Sinusoidal& s = c.formula.scheme;
  if (std::abs(factor / s.amplitude() - 1) <= error) return;
  c.mistakes.emplace_back("scaled"), c.cost += s.norm == Norm::none ? 1 : 2;
  s.norm = Norm::none;
  const auto d = static_cast<double>(s.dim);
  for (double known : {std::sqrt(d), 1 / std::sqrt(d), std::sqrt(2 / d)})
    if (std::abs(factor / known - 1) <= error) return void(s.scale = known);
  s.scale = std::copysign(fewest_digits(std::abs(factor), error), factor);
}

class FormulaSearch {
 public:
  FormulaSearch(const Evidence& evidence, std::vector<Group> groups, bool rounded)
      : evidence_(evidence), groups_(std::move(groups)), rounded_(rounded) {}

  // The cheapest of all that cost no more than the limit.
  std::vector<Candidate> best(double limit) {
    limit_ = limit;
    for (const Candidate& preset : presets_at(evidence_.sample.dim)) descend(0, preset);
    return cheapest();
  }

 private:
  // Pointers are sorted, not candidates: those are large.
  std::vector<Candidate> cheapest() const {
    std::vector<const Candidate*> order;
    for (const Candidate& c : found_)
      if (c.cost <= limit_ + near) order.push_back(&c);
    std::stable_sort(order.begin(), order.end(),
                     [](const Candidate* a, const Candidate* b) { return a->cost < b->cost; });
    std::vector<Candidate> out;
    for (const Candidate* c : order) out.push_back(*c);
    return out;
  }

  void descend(size_t group, const Candidate& c) {
    check_interrupt();
    if (c.cost > limit_ + near || evidence_.sample.cut()) return;
    if (group == groups_.size()) return accept(c);
    for (const Variation& variation : groups_[group]) {
      if (c.cost + variation.cost > limit_ + near) continue;
      Candidate next = c;
      const auto more = variation.apply(next.formula);
      if (!more) continue;
      next.cost += variation.cost + *more;
      if (!variation.id.empty()) next.mistakes.emplace_back(variation.id);
      descend(group + 1, next);
    }
  }

  void accept(Candidate c) {
    constexpr double enough = 0.97;  // a phase near the middle may be rounded to the other side
    const double storage = storage_error(evidence_.sample.type);
    if (rounded_) {
      const Share share = share_of(evidence_.sample, c.formula, enough);
      if (share.explained < enough) return;
      c.cost += 4 * (1 - share.explained);
      set_amplitude(c, share.factor, 0.02);
    } else {
      const auto factor = factor_for(evidence_.sample, c.formula);
      if (!factor) return;
      set_amplitude(c, *factor, 2 * storage + 0x1p-21);
    }
    if (c.cost > 0 && !rounded_ && !compare(evidence_.sample, c.formula).explained)
      c.cost += 0.05;  // exact numbers are better evidence than some f32 arithmetic
    if (c.cost > limit_ + near) return;
    limit_ = std::min(limit_, c.cost);
    found_.push_back(std::move(c));
  }

  const Evidence& evidence_;
  std::vector<Group> groups_;
  bool rounded_;
  double limit_ = 0;
  std::vector<Candidate> found_;
};

std::vector<int> layout_key(const Formula& f) {
  return {static_cast<int>(f.scheme.order), static_cast<int>(f.scheme.first),
          static_cast<int>(f.scheme.odd), is_per_column(f.scheme.rule), static_cast<int>(f.mix)};
}

}  // namespace

const std::optional<MeasuredLine>& Evidence::line(const Formula& f) const {
  const auto [at, is_new] = lines.try_emplace(layout_key(f));
  if (is_new) at->second = measure(table, facts, f, sample);
  return at->second;
}

std::optional<int64_t> Evidence::offset(const Formula& f) const {
  const auto layout = layout_key(f);
  const Line line = line_of(f);
  std::vector<double> key(layout.begin(), layout.end());
  key.insert(key.end(), {line.intercept, line.slope, std::copysign(1.0, f.scheme.position_scale),
                         f.reversed ? 1.0 : 0.0, f.scheme.amplitude()});
  const auto [at, is_new] = offsets.try_emplace(key);
  if (is_new) at->second = offset_for(sample, f);
  return at->second;
}

std::vector<Candidate> presets_at(int64_t dim) {
  std::vector<Candidate> out;
  for (const auto& preset : Sinusoidal::presets()) {
    // Those whose rows depend on a whole table, or begin before it, are other presets' rows
    // changed.
    if (preset.value.normalize_rows || preset.value.offset < 0) continue;
    Formula formula{preset.value};
    formula.scheme.dim = dim;
    const auto* given = std::get_if<ExplicitRule>(&preset.value.rule);
    if (given && std::ssize(given->frequencies) != formula.scheme.pair_count()) continue;
    formula.rate = rate_of(formula.scheme);
    out.push_back({preset.name, formula});
  }
  return out;
}

std::vector<Candidate> search(const Evidence& evidence) {
  constexpr int64_t telling = 8;  // elements; fewer can be explained in too many ways
  const bool few = evidence.sample.table_rows * evidence.sample.dim < telling;
  const auto formulas = [&](double limit) {
    return FormulaSearch(evidence, formula_groups(evidence), false).best(limit);
  };
  const auto roundings = [&](double limit) {
    return FormulaSearch(evidence, rounding_groups(evidence), true).best(limit);
  };
  auto found = formulas(0);
  if (few) return found;
  for (double limit : {1.1, 1.6, 2.8, 3.6}) {  // one difference, a measured one, two, three
    if (limit > 3 && evidence.sample.dim < telling) break;
    if (found.empty()) found = formulas(limit);
    if (found.empty() && limit > 1.5) found = roundings(limit);
  }
  return found;
}

}  // namespace posenc::inspect
