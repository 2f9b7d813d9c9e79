// plan.cc: plans of absolute schemes.
#include "absolute/plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/batch.h"
#include "base/bits.h"
#include "base/device_weights.h"
#include "base/memory.h"
#include "orders/orders.h"
#include "posenc/absolute.h"
#include "posenc/device_weights.h"

namespace posenc {
namespace {

bool is_learned(const Wave& wave) {
  return !wave.rate_link.empty() || wave.offset_link.weight >= 0 || wave.amplitude_link.weight >= 0;
}

template <AbsoluteScheme S>
RowSource make_source(const S& s, std::span<const Tensor> weights) {
  check_choices(s.name, s);
  s.check();
  const auto wanted = s.weights();
  check_weights(s.name, wanted, weights);
  RowSource source;
  source.axes = s.axes();
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
    source.waves = make_waves(std::move(columns), source.axes, shift, f32_product);
    if constexpr (requires { s.raise(); }) source.waves.set_raise(s.raise());
    if (learned) add_derivatives(source, shift);
  } else if constexpr (requires { s.lookups(); }) {
    source.dim = s.dim;
    source.lookups = {s.lookups(), {weights.begin(), weights.end()}};
  } else {
    const double alpha = s.learned_scale ? values(weights[1])[0] : 1;
    source.dim = s.dim;
    source.table = Table{.rows = weights[0],
                         .offset = s.offset,
                         .padding = s.padding,
                         .factor = s.scale * (s.learned_scale ? s.gate_of(alpha) : 1),
                         .fixed = s.scale * s.gate_slope(alpha),
                         .learned_scale = s.learned_scale};
  }
  return source;
}

constexpr int64_t most_position = int64_t{1} << 62;  // phases are exact up to it

// Rows from `end` on are those of a longer text.
void check_end(const char* verb, const RowSource& source, auto position) {
  if (position >= static_cast<decltype(position)>(source.end))
    fail(verb, "expected positions below ", source.end,
         " of this plan, whose frequencies depend on the length of the text, got ", position);
}

void check_range(const char* verb, const RowSource& source, const Positions& at, int64_t tokens) {
  if (source.axes != 1 && !source.range_on_all_axes)
    fail(verb, "expected explicit positions for ", source.axes, " axes, got a range");
  if (at.first < -most_position || at.first > most_position - tokens)
    fail(verb, "expected positions within 2^62, got ", at.first, " and ", tokens, " tokens");
  if (tokens == 0) return;
  const int64_t last = at.first + tokens - 1;
  check_end(verb, source, last);
  if (!source.table) return;
  const int64_t rows = source.table->rows.size(0), offset = source.table->offset;
  if (at.first + offset < 0 || last + offset >= rows)
    fail(verb, "expected positions from ", -offset, " to ", rows - 1 - offset, ", got ", at.first,
         " to ", last);
}

void check_id(const char* verb, const RowSource& source, int64_t position) {
  if (position < -most_position || position > most_position)
    fail(verb, "expected positions within 2^62, got ", position);
  check_end(verb, source, position);
  if (!source.table) return;
  const int64_t rows = source.table->rows.size(0), offset = source.table->offset;
  if (position + offset < 0 || position + offset >= rows)
    fail(verb, "expected positions from ", -offset, " to ", rows - 1 - offset, ", got ", position);
}

// The row of a table, or the place between rows, that each token reads on each axis.
void check_lookups(const char* verb, const RowSource& source, const Places& at, int64_t rows) {
  for (const Lookup& lookup : source.lookups.list)
    for (int64_t row = 0; row < (at.shared() ? 1 : rows); ++row)
      for (int64_t token = 0; token < at.tokens; ++token) {
        const double p = at.value(lookup.axis, row, token);
        if (!lookup.on_grid && lookup.on_axis(p).row < 0)
          fail(verb, "expected positions from 0 to ", lookup.rows - 1, " on axis ", lookup.axis,
               ", got ", p);
        if (!lookup.on_grid) continue;
        const double x = at.value(1, row, token);
        if (lookup.on_sides(p, x).row < 0)
          fail(verb, "expected places above -1 and below ", lookup.height, " and ", lookup.width,
               ", or from -1 down to ", -lookup.prefix, " for the prefix, got ", p, " and ", x);
      }
}

void check_real(const char* verb, const RowSource& source, double position) {
  if (!is_finite(position) || position < -0x1p62 || position > 0x1p62)
    fail(verb, "expected finite positions within 2^62, got ", position);
  check_end(verb, source, position);
}

}  // namespace

void add_derivatives(RowSource& source, double shift) {
  std::vector<Wave> slopes = source.waves.columns, units = slopes;
  for (Wave& wave : slopes) wave.phase += quarter_turn, wave.amplitude *= 2 * std::numbers::pi;
  for (Wave& wave : units) wave.amplitude = 1;
  source.slopes = make_waves(std::move(slopes), source.axes, shift, source.waves.f32_product);
  source.units = make_waves(std::move(units), source.axes, shift, source.waves.f32_product);
}

int64_t AbsolutePlan::dim() const { return parts().dim; }
int64_t AbsolutePlan::axes() const { return parts().axes; }

AbsolutePlan prepare(const Absolute& scheme, const PlanOptions& options) {
  auto source = std::visit([&](const auto& s) { return make_source(s, options.weights); }, scheme);
  return make_plan(std::move(source), options);
}

AbsolutePlan plan_of(const Sinusoidal& scheme) { return prepare(scheme); }

bool can_follow_weights(const Absolute& scheme) {
  return std::visit(
      []<class S>(const S& s) {
        return requires(std::span<const Tensor> w) { s.waves(w); }
        &&!s.weights().empty();
      },
      scheme);
}

AbsolutePlan prepare_for_weights(const Absolute& scheme, int cuda_device) {
  if (!can_follow_weights(scheme))
    fail("prepare_for_weights", "expected a scheme that makes waves of its weights, got ",
         std::visit([](const auto& s) { return s.name; }, scheme));
  const ZeroWeights zeros(std::visit([](const auto& s) { return s.weights(); }, scheme));
  auto source = std::visit([&](const auto& s) { return make_source(s, zeros.views()); }, scheme);
  source.blank = true;
  return make_plan(std::move(source), {.cuda_device = cuda_device});
}

// The waves without what kernels of a device, which has its own copy, do not ask the host for.
AbsolutePlan with_weights(const AbsolutePlan& plan, std::span<const Tensor> weights) {
  const RowSource& from = plan.parts();
  expect_blank(from.blank);
  std::vector<Weight> wanted;
  for (const auto& shape : from.shapes) wanted.push_back({"", shape});
  check_device_weights("with_weights", wanted, weights);
  cuda::keep(from, weights[0].device_index);
  const auto shared = detail::Shared<AbsolutePlan::Parts>::make();
  RowSource& to = *shared.get();
  to.dim = from.dim, to.axes = from.axes, to.range_on_all_axes = from.range_on_all_axes;
  to.shapes = from.shapes, to.end = from.end, to.zero_row = from.zero_row;
  to.waves = from.waves.outline(), to.copies = from.copies;
  to.device_weights.assign(weights.begin(), weights.end());
  return AbsolutePlan(shared);
}

AbsolutePlan make_plan(RowSource from, const PlanOptions& options) {
  const int64_t keep = options.keep;
  const auto shared = detail::Shared<AbsolutePlan::Parts>::make(std::move(from));
  AbsolutePlan::Parts* source = shared.get();
  source->copies = std::make_shared<OnDevices>();
  AbsolutePlan plan(shared);
  if (keep < 0 || keep > INT64_MAX / 8 / std::max<int64_t>(source->dim, 1))
    fail("prepare", "expected rows to keep of at least 0 that fit 64 bits, got ", keep);
  if (keep > source->end)
    fail("prepare", "expected up to ", source->end, " rows to keep of this scheme, whose ",
         "frequencies depend on the length of the text, got ", keep);
  if (keep > 0 && source->axes != 1 && !source->range_on_all_axes)
    fail("prepare", "expected no rows to keep of a scheme of ", source->axes, " axes, got ", keep);
  if (keep > 0) {
    auto rows = zeros<float>("prepare", "rows to keep", keep * source->dim);
    fill(plan, tensor(rows.data(), {keep, source->dim}));
    source->kept = std::move(rows), source->kept_rows = keep;
  }
  if (options.cuda_device >= 0) cuda::keep(*source, options.cuda_device);
  return plan;
}

std::vector<Weight> weights(const Absolute& scheme) {
  return std::visit([](const auto& s) { return s.weights(); }, scheme);
}

Places check_places(const char* verb, const RowSource& source, const Positions& at, int64_t rows,
                    int64_t tokens) {
  const Places places{at, tokens};
  if (at.is_range()) {
    check_range(verb, source, at, tokens);
    return check_lookups(verb, source, places, rows), places;
  }
  const Tensor& ids = at.ids;
  const bool typed = is_integer(ids.dtype) || ids.dtype == DType::f64;
  if (!typed || ids.rank != 3 || ids.size(0) != source.axes ||
      (ids.size(1) != 1 && ids.size(1) != rows) || ids.size(2) != tokens)
    fail(ErrorKind::tensor, verb, "expected positions as i32, i64 or f64 [", source.axes, ", 1 or ",
         rows, ", ", tokens, "], got ", describe(ids));
  check_memory(verb, "positions", ids);
  if (!source.has_waves() && !source.lookups.on_grid() && !places.whole())
    fail(verb, "expected whole positions (i32 or i64) for a learned table, got f64");
  if (!places.on_host()) return places;
  for (int64_t axis = 0; axis < ids.size(0); ++axis)
    for (int64_t row = 0; row < ids.size(1); ++row)
      for (int64_t token = 0; token < tokens; ++token) {
        if (places.whole()) {
          check_id(verb, source, places.integer(axis, row, token));
        } else {
          check_real(verb, source, places.value(axis, row, token));
        }
      }
  return check_lookups(verb, source, places, rows), places;
}

Places check_places(const char* verb, const RowSource& source, const Positions& at,
                    const Tensor& x) {
  return check_places(verb, source, at, Batch(x, 2).rows, x.size(-2));
}

void check_target(const char* verb, const RowSource& source, const Tensor& out,
                  const Positions& at) {
  check_beside(verb, "the output", out, source.device_weights);
  check_output(verb, out), check_apart(verb, out, at);
  if (source.table && source.own_table.empty())
    check_apart(verb, "the output", out, "the learned table", source.table->rows);
  for (const Tensor& table : source.lookups.tables)
    check_apart(verb, "the output", out, "a learned table", table);
}

}  // namespace posenc
