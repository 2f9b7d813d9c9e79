// measure.cc: rows beside the reference.
#include "cli/measure/measure.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cli/console.h"
#include "cli/measure/device_memory.h"
#include "facts.h"
#include "reference/oracle.h"

namespace posenc::cli {
namespace {

constexpr int64_t rows_in_run = 300, runs = 3, rows_of_a_run = 5, most_columns = 128;
constexpr DType types[] = {DType::f32, DType::bf16, DType::f64};

// The rows looked at: some of a few runs of neighbours, and the truth for some of their columns.
struct Sample {
  std::vector<int64_t> columns, starts;
  std::vector<int64_t> rows;            // [runs, rows_of_a_run], counted from the start
  std::vector<reference::Real> truths;  // [runs, rows_of_a_run, columns]
};

Sample take_sample(const Stretch& where, const std::vector<reference::Column>& truth,
                   int64_t axes) {
  std::mt19937_64 bits(static_cast<uint64_t>(where.last));
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(bits);
  };
  Sample out;
  const int64_t dim = std::ssize(truth), step = (dim + most_columns - 1) / most_columns;
  for (int64_t c = 0; c < dim; c += c % step == 0 && step > 1 ? between(1, step) : 1)
    if (truth[static_cast<size_t>(c)].kind == reference::Column::Kind::wave)
      out.columns.push_back(c);
  for (int64_t run = 0; run < runs; ++run) {
    const int64_t last = where.last - rows_in_run + 1;
    out.starts.push_back(run == 0 ? last : between(std::min(where.first, last), last));
    for (int64_t i = 0; i < rows_of_a_run; ++i) {
      out.rows.push_back(i == 0 ? rows_in_run - 1 : between(0, rows_in_run - 1));
      const reference::Point at(static_cast<size_t>(axes), out.starts.back() + out.rows.back());
      for (const int64_t c : out.columns)
        out.truths.push_back(truth[static_cast<size_t>(c)].value(at));
    }
  }
  return out;
}

Array fill_on_gpu(const Ready& ready, const PositionList& positions, DType dtype) {
  check_row(ready);
  Array out = make_array(dtype, {positions.count, ready.plan.dim()});
  const DeviceCopy table(out), ids(positions.ids);
  Positions at = positions.at(0, positions.count);
  if (!at.is_range()) at.ids = ids.there(at.ids);
  fill(ready.plan, table.there(out.view()), at);
  table.fetch(out);
  return out;
}

// The same positions on every axis.
PositionList positions_of(int64_t start, int64_t count, int64_t axes) {
  const std::string run = fmt::format("{}:{}", start, start + count);
  return parse_positions(join(std::vector<std::string>(static_cast<size_t>(axes), run), ";"), axes);
}

double largest_error(const Ready& ready, const Sample& sample, DType dtype, Device device) {
  const int64_t dim = ready.plan.dim();
  const auto rows = [&](int64_t start, int64_t count) {
    const PositionList at = positions_of(start, count, ready.plan.axes());
    return as_doubles((device == Device::cpu ? fill_table : fill_on_gpu)(ready, at, dtype));
  };
  double out = 0;
  auto truth = sample.truths.begin();
  auto row = sample.rows.begin();
  for (const int64_t start : sample.starts) {
    const auto run = rows(start, rows_in_run);
    for (int64_t i = 0; i < rows_of_a_run; ++i, ++row) {
      const auto single = rows(start + *row, 1);
      for (const int64_t c : sample.columns) {
        out = std::max(out, reference::error(run[static_cast<size_t>(*row * dim + c)], *truth));
        out = std::max(out, reference::error(single[static_cast<size_t>(c)], *truth++));
      }
    }
  }
  return out;
}

// The kinds of rounding the scheme can do.
std::vector<std::string> numerics_of(const Scheme& scheme) {
  for (const Option& option : info(scheme).options)
    if (option.name == "numerics") return option.choices;
  return {"exact"};
}

Ready ready_with(const Call& call, const std::string& numerics, bool choose,
                 std::optional<int64_t> length) {
  Call with = call;
  std::erase_if(with.scheme, [](const auto& option) { return option.first == "numerics"; });
  if (choose) with.scheme.emplace_back("numerics", numerics);
  return make_ready(read_scheme(with, "sinusoidal"), {.length = length});
}

}  // namespace

const std::vector<Stretch>& stretches() {
  static const std::vector<Stretch> all = [] {
    std::vector<Stretch> out;
    int64_t first = 0, last = 1000;
    for (int power = 3; power <= 9; ++power, first = last, last *= 10)
      out.push_back({"10^" + std::to_string(power), first, last});
    out.push_back({"2^31", first, int64_t{1} << 31});
    return out;
  }();
  return all;
}

double promised(DType dtype, double amplitude, Device device) {
  if (dtype == DType::f64) return 4e-16 * amplitude;
  // Before the rounding, and half an ulp of the largest numbers: 2^-25 of the power of two above.
  int exponent = 0;
  if (std::frexp(amplitude, &exponent) == 0.5) --exponent;
  return (device == Device::cpu ? 1.2e-9 : 3.1e-8) * amplitude + std::ldexp(0x1p-25, exponent);
}

std::vector<Stretch> stretches_of(const Scheme& scheme, std::optional<int64_t> length) {
  const auto* rope = std::get_if<Rope>(&scheme);
  if (!rope) return stretches();
  int64_t end = turning_plan(make_ready(scheme, {.length = length}))->max_length();
  if (length && asks_for_length(scheme)) end = std::min(end, *length);
  if (end > stretches().back().last) return stretches();
  const bool mixes = std::holds_alternative<Fourier>(rope->frequencies);
  const int64_t first = mixes ? -rope->offset : 0, last = end - 1;
  if (last - first < rows_in_run)
    refuse("expected ", mixes ? "frequencies.max_position_embeddings" : "--length", " above ",
           rows_in_run, ", which are measured together, got ", end - first);
  std::vector<Stretch> out;
  for (const Stretch& s : stretches())
    if (s.first >= first && s.last <= last) out.push_back(s);
  out.push_back({fmt::format("{}", last), out.empty() ? first : out.back().last, last});
  return out;
}

double largest(const Accuracy& accuracy, std::string_view numerics, DType dtype) {
  double out = 0;
  for (const Errors& errors : accuracy.errors)
    if (errors.numerics == numerics && errors.dtype == dtype)
      out = *std::max_element(errors.largest.begin(), errors.largest.end());
  return out;
}

Accuracy measure(const Call& call, const std::vector<Stretch>& where, std::optional<int64_t> length,
                 Device device) {
  const Scheme scheme = read_scheme(call, "sinusoidal");
  if (acts_on_scores(alternative_name(scheme)))
    refuse("expected a scheme of waves, got ", alternative_name(scheme), ", which acts on scores");
  if (const auto* waves = std::get_if<Sinusoidal>(&scheme); waves && waves->normalize_rows)
    refuse("expected a scheme of waves, got normalize_rows, by which rows depend on each other");
  const auto numerics = numerics_of(scheme);
  std::vector<Ready> all;
  for (const auto& name : numerics)
    all.push_back(ready_with(call, name, numerics.size() > 1, length));
  if (facts_of(all[0].plan).is_table)
    refuse("expected a computed scheme, got ", info(scheme).name, ", whose rows are trained");
  reference::Weights weights;
  for (const Array& array : all[0].weights) weights.push_back(as_doubles(array));
  const auto truth = reference::columns(all[0].scheme, weights, all[0].length);
  Accuracy out;
  for (const auto& name : numerics)
    for (const DType dtype : types) out.errors.push_back({name, dtype, {}});
  out.amplitude = 0;
  for (const auto& column : truth) out.amplitude = std::max(out.amplitude, column.amplitude);
  Progress progress("measuring");
  for (size_t s = 0; s < where.size(); ++s) {
    progress.at(static_cast<double>(s) / static_cast<double>(where.size()));
    const Sample sample = take_sample(where[s], truth, all[0].plan.axes());
    for (size_t i = 0; i < out.errors.size(); ++i)
      out.errors[i].largest.push_back(
          largest_error(all[i / std::size(types)], sample, out.errors[i].dtype, device));
  }
  return out;
}

}  // namespace posenc::cli
