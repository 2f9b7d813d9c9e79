// source.h: where the rows of an absolute scheme come from, and how a verb walks over them.
#pragma once

#include <optional>

#include "cpu/kernels/waves.h"
#include "posenc/absolute.h"

namespace posenc {

// Rows of a trained table: factor * table[position + offset].
struct Table {
  Tensor rows;
  int64_t offset = 0;
  std::optional<int64_t> padding;
  double factor = 1, fixed = 1;  // factor = fixed * alpha
  bool learned_scale = false;
};

// The part of the work done at once: tokens of one row of positions, a chunk of columns.
struct Span {
  int64_t row, token, tokens, column, columns;
};

struct AbsolutePlan::Source {
  int64_t dim = 0, axes = 1;
  bool range_on_all_axes = false;  // a range is meant, also where there are several axes
  size_t weights = 0;
  std::vector<std::vector<int64_t>> shapes;  // of the weights
  cpu::Waves waves;                          // unless there is a table
  cpu::Waves slopes, units;                  // d/dphase and d/damplitude, when something is learned
  std::optional<Table> table;
  int64_t end = INT64_MAX;          // positions from here on need another plan
  std::optional<int64_t> zero_row;  // with the offset: a row of zeros
  int64_t kept_rows = 0;
  std::vector<float> kept;  // rows 0 .. kept_rows - 1

  // The kept rows of a span, when it is a run of them.
  const float* kept_span(const Positions& at, const Span& span) const;
};

// Adds the derivatives of the columns by their phase (in turns) and by their amplitude, as columns.
void add_derivatives(AbsolutePlan::Source& source, double shift);

// A plan with rows 0 .. keep - 1 kept.
AbsolutePlan make_plan(AbsolutePlan::Source source, int64_t keep);

// The coordinates of `count` tokens from `token` on; the source's shift is added.
void locate(const AbsolutePlan::Source& source, const Positions& at, int64_t row, int64_t token,
            int64_t count, cpu::Coordinates& out);

// Makes the rows of a span, block by block: to(token) says where a block goes, then use(token,
// rows) is called.
using Destination = cpu::Rows;
template <class To, class Use>
void make_rows(const AbsolutePlan::Source& source, const Positions& at, const Span& span, To to,
               Use use);

// Rows at the coordinates, whatever the source.
void fill_at(const AbsolutePlan::Source& source, const cpu::Coordinates& at, int64_t column,
             int64_t columns, cpu::Rows out);

// How many tokens from `token` on stand one after the other, on every axis.
int64_t unit_steps(const Positions& at, int64_t axes, int64_t row, int64_t token, int64_t end);
// Where a token of a range or of integer ids stands.
int64_t whole_position(const Positions& at, int64_t axis, int64_t row, int64_t token);
// Whether a token reads the row of zeros.
bool reads_zeros(const AbsolutePlan::Source& source, const Positions& at, int64_t row,
                 int64_t token);
// Makes what `rows` tokens from `token` on read there 0.
void clear_zeros(const AbsolutePlan::Source& source, const Positions& at, const Span& span,
                 int64_t token, int64_t rows, const cpu::Rows& out);

template <class To, class Use>
void make_rows(const AbsolutePlan::Source& source, const Positions& at, const Span& span, To to,
               Use use) {
  constexpr int64_t shortest_run = 4;
  const int64_t end = span.token + span.tokens;
  const bool steady = !source.table && source.waves.steady;
  for (int64_t token = span.token; token < end;) {
    const int64_t steps = unit_steps(at, source.axes, span.row, token, end);
    if (steady && steps >= shortest_run && to(token).dtype != DType::f64) {
      cpu::RunState state;
      int64_t first[max_axes];
      for (int64_t a = 0; a < source.axes; ++a)
        first[a] = whole_position(at, a, span.row, token) + source.waves.shift_whole;
      cpu::start_run(source.waves, span.column, span.columns, first, state);
      for (const int64_t stop = token + steps; token < stop;) {
        const int64_t rows = std::min(cpu::block_rows, stop - token);
        cpu::fill_run_rows(source.waves, span.column, span.columns, state, rows, to(token));
        clear_zeros(source, at, span, token, rows, to(token));
        use(token, rows);
        token += rows;
      }
    } else {
      const int64_t most = steady && steps < shortest_run ? steps : end - token;
      const int64_t rows = std::min(cpu::block_rows, most);
      cpu::Coordinates coordinates;
      locate(source, at, span.row, token, rows, coordinates);
      fill_at(source, coordinates, span.column, span.columns, to(token));
      clear_zeros(source, at, span, token, rows, to(token));
      use(token, rows);
      token += rows;
    }
  }
}

}  // namespace posenc
