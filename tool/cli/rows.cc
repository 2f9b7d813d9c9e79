// rows.cc: weights from files or from their initial distribution, and tables.
#include "rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "base/bits.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "console.h"
#include "memory.h"

namespace posenc::cli {
namespace {

// Normal numbers by Box and Muller; unlike std::normal_distribution the same everywhere.
class Normal {
 public:
  explicit Normal(int64_t seed) : bits_(static_cast<uint64_t>(seed)) {}
  double operator()() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return (static_cast<double>(bits_() >> 11) + 1) * 0x1p-53; }  // (0, 1]
  std::mt19937_64 bits_;
};

Array initial(const Weight& weight, Normal& normal) {
  int64_t count = 1;
  for (const int64_t size : weight.shape)
    if (__builtin_mul_overflow(count, size, &count)) count = INT64_MAX;
  check_fits("weights", count, 1, sizeof(float));
  Array out = make_array(DType::f32, weight.shape);
  for (float& value : out.values<float>())
    value =
        static_cast<float>(weight.mean + (weight.deviation != 0 ? weight.deviation * normal() : 0));
  return out;
}

std::vector<Array> initial_weights(const std::vector<Weight>& wanted, int64_t seed) {
  Normal normal(seed);
  std::vector<Array> out;
  for (const Weight& weight : wanted) out.push_back(initial(weight, normal));
  return out;
}

// By name; a scheme with one weight takes the only array of a file whatever its name.
std::vector<Array> weights_from(const std::string& path, const std::vector<Weight>& wanted) {
  NamedArrays arrays = read_arrays(path);
  std::vector<std::string> names;
  for (const auto& entry : arrays) names.push_back(entry.first);
  const bool only = wanted.size() == 1 && arrays.size() == 1;
  std::vector<Array> out;
  for (const Weight& weight : wanted) {
    const auto at = std::find(names.begin(), names.end(), weight.name);
    if (at == names.end() && !only)
      fail("weights", path, ": expected a tensor called '", weight.name, "', got none",
           suggestion(weight.name, names));
    out.push_back(std::move(arrays[only ? 0 : static_cast<size_t>(at - names.begin())].second));
    check_finite_numbers(path + ": weight '" + weight.name + "'", out.back());
  }
  return out;
}

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

void check_finite_numbers(const std::string& whose, const Array& array) {
  if (!is_float(array.dtype)) return;
  dispatch(array.dtype, [&]<class T>() {
    const auto* values = reinterpret_cast<const T*>(array.bytes.data());
    for (size_t i = 0; i < array.bytes.size() / sizeof(T); ++i)
      if (!is_finite(as_double(values[i])))
        fail("values", whose, ": expected finite numbers, got ", as_double(values[i]),
             " as number ", i, " of ", describe(array.view()));
  });
}

std::vector<double> as_doubles(const Array& array) { return values(array.view()); }

std::vector<Array> read_weights(const Scheme& scheme, const RowsOptions& options) {
  const auto wanted = posenc::weights(scheme);
  if (wanted.empty() && !options.weights.empty())
    refuse("expected no --weights, because nothing is learned here, got ", options.weights);
  if (options.seed && (!starts_at_random(scheme) || !options.weights.empty()))
    refuse("expected no --seed, because no weight is random here, got ", *options.seed);
  return options.weights.empty() ? initial_weights(wanted, options.seed.value_or(0))
                                 : weights_from(options.weights, wanted);
}

bool starts_at_random(const Scheme& scheme) {
  const auto all = posenc::weights(scheme);
  return std::any_of(all.begin(), all.end(), [](const Weight& w) { return w.deviation != 0; });
}

template <class Rule>
constexpr bool asks = requires(const Rule& rule) {
  rule.serves(int64_t{});
};

bool asks_for_length(const Scheme& scheme) {
  const auto* rope = std::get_if<Rope>(&scheme);
  return rope &&
         std::visit([](const auto& rule) { return asks<std::remove_cvref_t<decltype(rule)>>; },
                    rope->scaling);
}

void check_length_is_read(const Scheme& scheme, const RowsOptions& options) {
  const auto* rope = std::get_if<Rope>(&scheme);
  if (!options.length || !rope || asks_for_length(scheme)) return;
  std::vector<std::string> rules;
  for_each_alternative<Scaling>([&]<class Rule>(const Rule& rule) {
    if (asks<Rule>) rules.emplace_back(rule.name);
  });
  refuse("expected --scaling ", join(rules, " or "), " beside --length, got --scaling ",
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
  options.weights.empty() ? typed(make) : make();
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

bool is_table(const Scheme& scheme) {
  return std::visit(
      [](const auto& s) { return std::is_same_v<std::remove_cvref_t<decltype(s)>, Learned>; },
      scheme);
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
    refuse("expected rows of at least one number, got rotary_dim 0: no pair turns");
}

Array fill_rows(const Ready& ready, const PositionList& positions, DType dtype, int64_t from,
                int64_t count) {
  Array out = make_array(dtype, {count, ready.plan.dim()});
  typed([&] { fill(ready.plan, out.view(), positions.at(from, count)); });
  return out;
}

Array fill_table(const Ready& ready, const PositionList& positions, DType dtype) {
  check_row(ready);
  check_fits("a table", positions.count, ready.plan.dim(), size_of(dtype));
  const Progress progress("filling the table");
  return fill_rows(ready, positions, dtype, 0, positions.count);
}

}  // namespace posenc::cli
