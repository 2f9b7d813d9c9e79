// rows.cc: schemes that are ready to give rows, and tables of them.
#include "cli/schemes/rows.h"

#include <algorithm>

#include "base/bits.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "cli/console.h"
#include "cli/memory.h"

namespace posenc::cli {
namespace {

// The positions, which must lie within the text where a length rule was told how long it is.
PositionList within(const Ready& ready, PositionList positions) {
  if (!asks_for_length(ready.scheme)) return positions;
  for (int64_t axis = 0; axis < positions.axes; ++axis)
    for (int64_t i = positions.is_run() ? positions.count - 1 : 0; i < positions.count; ++i)
      if (positions.value(axis, i) >= static_cast<double>(ready.length))
        refuse("expected --length above every position, because a rule depends on it, got ",
               ready.length, " and position ", positions.text(axis, i));
  return positions;
}

}  // namespace

bool starts_at_random(const Scheme& scheme) {
  const auto all = posenc::weights(scheme);
  return std::any_of(all.begin(), all.end(), [](const Weight& w) { return w.deviation != 0; });
}

void check_length_is_read(const Scheme& scheme, const RowsOptions& options) {
  const auto* rope = std::get_if<Rope>(&scheme);
  if (!options.length || !rope || asks_for_length(scheme)) return;
  std::vector<std::string> rules;
  for_each_alternative<Scaling>([&]<class Rule>(const Rule& rule) {
    if (AsksForLength<Rule>) rules.emplace_back(rule.name);
  });
  refuse("expected --scaling ", join(rules, " or "), " with --length, got --scaling ",
         alternative_name(rope->scaling));
}

Ready make_ready(const Scheme& scheme, const RowsOptions& options) {
  if (acts_on_scores(alternative_name(scheme)))
    refuse("expected a scheme with a row for each position, got ", alternative_name(scheme),
           ", which acts on scores");
  Ready out{scheme, read_weights(scheme, options), {}, options.length.value_or(0)};
  if (options.length && !as_family<Rotary>(scheme))
    refuse("expected no --length, because no length rule is at work here, got ", *options.length);
  const auto make = [&] {
    out.plan = rows_of(prepare(scheme, {.weights = out.views(), .length = out.length}));
  };
  options.weights.empty() ? as_usage_error(make) : make();
  return out;
}

std::vector<Tensor> Ready::views() const {
  std::vector<Tensor> out;
  for (const Array& array : weights) out.push_back(array.view());
  return out;
}

std::optional<RotaryPlan> turning_plan(const Ready& ready) {
  const auto rotary = as_family<Rotary>(ready.scheme);
  if (!rotary) return {};
  return std::visit(
      [&](const auto& s) { return prepare(s, {.weights = ready.views(), .length = ready.length}); },
      *rotary);
}

PositionList read_positions(const Ready& ready, const RowsOptions& options, std::string_view run,
                            std::string_view diagonal) {
  const int64_t axes = ready.plan.axes();
  if (!options.positions.empty()) return within(ready, parse_positions(options.positions, axes));
  if (as_family<Rotary>(ready.scheme) || axes == 1) diagonal = run;
  if (diagonal.empty())
    refuse("expected --positions on ", axes, " axes, separated by ';', got none");
  const std::vector<std::string> each(static_cast<size_t>(axes), std::string(diagonal));
  return within(ready, parse_positions(join(each, ";"), axes));
}

void check_row(const Ready& ready) {
  if (ready.plan.dim() == 0)
    refuse("expected rows of at least one number, got rotary_dim 0: no pair rotates");
}

Array fill_rows(const Ready& ready, const PositionList& positions, DType dtype, int64_t from,
                int64_t count) {
  Array out = make_array(dtype, {count, ready.plan.dim()});
  as_usage_error([&] { fill(ready.plan, out.view(), positions.at(from, count)); });
  return out;
}

Array fill_table(const Ready& ready, const PositionList& positions, DType dtype) {
  check_row(ready);
  check_fits("a table", positions.count, ready.plan.dim(), size_of(dtype));
  const Progress progress("filling the table");
  return fill_rows(ready, positions, dtype, 0, positions.count);
}

}  // namespace posenc::cli
