// source.cc: plans, and rows at any coordinates.
#include "absolute/source.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/batch.h"
#include "base/check.h"
#include "base/choices.h"
#include "base/memory.h"

namespace posenc {
namespace {

const void* id_at(const Positions& at, int64_t axis, int64_t row, int64_t token) {
  const int64_t n = axis * at.ids.step(0) + row * at.ids.step(1) + token * at.ids.step(2);
  return static_cast<const char*>(at.ids.data) + n * size_of(at.ids.dtype);
}

bool is_learned(const Wave& wave) {
  return !wave.rate_link.empty() || wave.offset_link.weight >= 0 || wave.amplitude_link.weight >= 0;
}

template <AbsoluteScheme S>
AbsolutePlan::Source make_source(const S& s, std::span<const Tensor> weights) {
  check_choices(s.name, s);
  s.check();
  const auto wanted = s.weights();
  check_weights(s.name, wanted, weights);
  AbsolutePlan::Source source;
  source.axes = s.axes(), source.weights = wanted.size();
  for (const Weight& w : wanted) source.shapes.push_back(w.shape);
  if constexpr (requires { s.waves(weights); }) {
    double shift = 0;
    if constexpr (requires { s.offset; }) shift = static_cast<double>(s.offset);
    if constexpr (requires { s.shift(); }) shift = s.shift();
    bool f32_product = false;
    if constexpr (requires { s.numerics; }) f32_product = s.numerics == Numerics::torch_f32;
    if constexpr (requires { s.padding; }) source.zero_row = s.padding;
    auto columns = s.waves(weights);
    const bool learned = std::any_of(columns.begin(), columns.end(), is_learned);
    source.dim = std::ssize(columns);
    source.waves = cpu::make_waves(std::move(columns), source.axes, shift, f32_product);
    if (learned) add_derivatives(source, shift);
  } else {
    const double alpha = s.learned_scale ? values(weights[1])[0] : 1;
    source.dim = s.dim;
    source.table =
        Table{weights[0], s.offset, s.padding, s.scale * alpha, s.scale, s.learned_scale};
  }
  return source;
}

}  // namespace

void add_derivatives(AbsolutePlan::Source& source, double shift) {
  std::vector<Wave> slopes = source.waves.columns, units = slopes;
  for (Wave& wave : slopes) wave.phase += quarter_turn, wave.amplitude *= 2 * M_PI;
  for (Wave& wave : units) wave.amplitude = 1;
  source.slopes = cpu::make_waves(std::move(slopes), source.axes, shift, source.waves.f32_product);
  source.units = cpu::make_waves(std::move(units), source.axes, shift, source.waves.f32_product);
}

int64_t AbsolutePlan::dim() const { return source().dim; }
int64_t AbsolutePlan::axes() const { return source().axes; }

AbsolutePlan prepare(const Absolute& scheme, const PlanOptions& options) {
  auto source = std::visit([&](const auto& s) { return make_source(s, options.weights); }, scheme);
  return make_plan(std::move(source), options.keep);
}

AbsolutePlan make_plan(AbsolutePlan::Source from, int64_t keep) {
  auto source = std::make_shared<AbsolutePlan::Source>(std::move(from));
  AbsolutePlan plan(source);
  if (keep < 0 || keep > INT64_MAX / 8 / std::max<int64_t>(source->dim, 1))
    fail("prepare", "expected rows to keep of at least 0 that fit 64 bits, got ", keep);
  if (keep > source->end)
    fail("prepare", "expected up to ", source->end, " rows to keep of this scheme, whose ",
         "frequencies depend on the length of the text, got ", keep);
  if (keep == 0) return plan;
  auto rows = zeros<float>("prepare", "rows to keep", keep * source->dim);
  fill(plan, tensor(rows.data(), {keep, source->dim}));
  source->kept = std::move(rows), source->kept_rows = keep;
  return plan;
}

const float* AbsolutePlan::Source::kept_span(const Positions& at, const Span& span) const {
  if (kept_rows == 0 || at.ids.dtype == DType::f64) return nullptr;
  const int64_t first = whole_position(at, 0, span.row, span.token);
  const int64_t end = span.token + span.tokens;
  if (first < 0 || first + span.tokens > kept_rows) return nullptr;
  for (int64_t a = 1; a < axes; ++a)
    if (whole_position(at, a, span.row, span.token) != first) return nullptr;
  if (unit_steps(at, axes, span.row, span.token, end) < span.tokens) return nullptr;
  return kept.data() + first * dim + span.column;
}

std::vector<Weight> weights(const Absolute& scheme) {
  return std::visit([](const auto& s) { return s.weights(); }, scheme);
}

int64_t whole_position(const Positions& at, int64_t axis, int64_t row, int64_t token) {
  return at.is_range() ? at.first + token : integer(at.ids.dtype, id_at(at, axis, row, token));
}

bool reads_zeros(const AbsolutePlan::Source& source, const Positions& at, int64_t row,
                 int64_t token) {
  if (!source.zero_row) return false;
  const int64_t position = *source.zero_row - source.waves.shift_whole;
  if (at.ids.rank > 0 && at.ids.dtype == DType::f64)
    return *static_cast<const double*>(id_at(at, 0, row, token)) == static_cast<double>(position);
  return whole_position(at, 0, row, token) == position;
}

void clear_zeros(const AbsolutePlan::Source& source, const Positions& at, const Span& span,
                 int64_t token, int64_t rows, const cpu::Rows& out) {
  const int64_t size = size_of(out.dtype);
  for (int64_t r = 0; source.zero_row && r < rows; ++r)
    if (reads_zeros(source, at, span.row, token + r))
      std::memset(static_cast<char*>(out.data) + r * out.ld * size, 0,
                  static_cast<size_t>(span.columns * size));
}

int64_t unit_steps(const Positions& at, int64_t axes, int64_t row, int64_t token, int64_t end) {
  if (at.is_range()) return end - token;
  if (at.ids.dtype == DType::f64) return 1;
  for (int64_t a = 0; a < axes; ++a) {
    const int64_t first = whole_position(at, a, row, token);
    int64_t steps = 1;
    while (token + steps < end && whole_position(at, a, row, token + steps) == first + steps)
      ++steps;
    end = token + steps;
  }
  return end - token;
}

void locate(const AbsolutePlan::Source& source, const Positions& at, int64_t row, int64_t token,
            int64_t count, cpu::Coordinates& out) {
  out.rows = count;
  const cpu::Waves& w = source.waves;
  const double shift =
      static_cast<double>(w.shift_whole) + static_cast<double>(w.shift_part) * 0x1p-64;
  for (int64_t a = 0; a < source.axes; ++a)
    for (int64_t i = 0; i < count; ++i) {
      WholeAndPart p{at.first + token + i};
      auto value = static_cast<double>(p.whole);
      if (!at.is_range()) {
        const void* id = id_at(at, a, row, token + i);
        if (at.ids.dtype == DType::f64) {
          value = *static_cast<const double*>(id);
          p = split(value);
        } else {
          p.whole = integer(at.ids.dtype, id);
          value = static_cast<double>(p.whole);
        }
      }
      out.rest[a][i] = p.rest, out.part[a][i] = p.part + w.shift_part;
      out.whole[a][i] = p.whole + w.shift_whole + (out.part[a][i] < p.part ? 1 : 0);
      out.value[a][i] = value + shift;
    }
}

void fill_at(const AbsolutePlan::Source& source, const cpu::Coordinates& at, int64_t column,
             int64_t columns, cpu::Rows out) {
  if (!source.table) return cpu::fill_rows_at(source.waves, column, columns, at, out);
  const Table& table = *source.table;
  for (int64_t r = 0; r < at.rows; ++r) {
    const Batch rows(table.rows, 2);
    auto* to = static_cast<char*>(out.data) + r * out.ld * size_of(out.dtype);
    cpu::scale_row(table.rows.dtype, rows.block(0, at.whole[0][r] + table.offset, column),
                   table.factor, out.dtype, to, columns);
  }
}

}  // namespace posenc
