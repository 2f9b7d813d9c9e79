// row_tiles.cc: rows from waves, by recurrence or each on its own, and from tables.
#include "cpu/row_tiles.h"

#include <algorithm>
#include <cstring>

#include "cpu/lookups.h"

namespace posenc::cpu {
namespace {

constexpr int64_t shortest_run = 4;

// pieces(), which is mostly 1; a division takes as long as it does to turn a head.
int64_t often_one(int64_t n, int64_t size) { return n == 0 || n > size ? pieces(n, size) : 1; }

void copy_table_rows(const Table& table, const Coordinates& at, int64_t column, int64_t columns,
                     const Rows& out) {
  const int64_t first = table.rows.size(1);
  for (int64_t r = 0; r < at.rows; ++r) {
    auto* to = static_cast<char*>(out.data) + r * out.ld * size_of(out.dtype);
    for (int64_t c = column; c < column + columns;) {
      const Tensor& part = c < first ? table.rows : table.more;
      const int64_t from = c < first ? c : c - first;
      const int64_t count = std::min(column + columns - c, part.size(1) - from);
      scale_row(part.dtype, Batch(part, 2).block(0, at.whole[0][r] + table.offset, from),
                table.factor, out.dtype, to + (c - column) * size_of(out.dtype), count);
      c += count;
    }
  }
}

}  // namespace

void locate(const RowSource& source, const Places& at, int64_t row, int64_t token, int64_t count,
            Coordinates& out) {
  out.rows = count;
  const Waves& w = source.waves;
  const double shift =
      static_cast<double>(w.shift_whole) + static_cast<double>(w.shift_part) * 0x1p-64;
  for (int64_t a = 0; a < source.axes; ++a)
    for (int64_t i = 0; i < count; ++i) {
      const double value = at.value(a, row, token + i);
      const WholeAndPart p =
          at.whole() ? WholeAndPart{at.integer(a, row, token + i)} : split(value);
      out.rest[a][i] = p.rest, out.part[a][i] = p.part + w.shift_part;
      out.whole[a][i] = p.whole + w.shift_whole + (out.part[a][i] < p.part ? 1 : 0);
      out.value[a][i] = value + shift;
    }
}

void fill_at(const RowSource& source, const Coordinates& at, int64_t column, int64_t columns,
             Rows out) {
  if (source.table) return copy_table_rows(*source.table, at, column, columns, out);
  if (!source.has_waves()) return sum_lookups(source.lookups, at, column, columns, out);
  fill_rows_at(source.waves, column, columns, at, out);
}

bool reads_zeros(const RowSource& source, const Places& at, int64_t row, int64_t token) {
  if (!source.zero_row) return false;
  const int64_t position = *source.zero_row - source.waves.shift_whole;
  if (at.whole()) return at.integer(0, row, token) == position;
  return at.value(0, row, token) == static_cast<double>(position);
}

Pieces::Pieces(const RowSource& source, const Places& at, int64_t batch_rows, int64_t most_tokens,
               int64_t most_columns, int64_t bytes)
    : rows(batch_rows),
      tokens(at.tokens),
      columns(source.dim),
      run(most_tokens),
      width(most_columns),
      groups(batch_rows),
      runs(often_one(tokens, run)),
      chunks(often_one(columns, width)) {
  if (!at.shared() || rows <= 1) return;
  const int64_t workers = threads_for(bytes);
  groups = std::min(rows, runs * chunks < 4 * workers ? workers : 1);
}

void RowTiles::find_kept() {
  if (source_.kept_rows == 0 || !at_.whole() || span_.tokens == 0) return;
  const int64_t first = at_.integer(0, span_.row, span_.token);
  if (first < 0 || first + span_.tokens > source_.kept_rows) return;
  for (int64_t a = 1; a < source_.axes; ++a)
    if (at_.integer(a, span_.row, span_.token) != first) return;
  if (at_.run(source_.axes, span_.row, span_.token, span_.token + span_.tokens) < span_.tokens)
    return;
  kept_ = source_.kept.data() + first * source_.dim + span_.column;
  rows_ = {nullptr, DType::f32, source_.dim};
}

bool RowTiles::next() {
  token_ += count_;
  const int64_t left = span_.token + span_.tokens - token_, done = token_ - span_.token;
  count_ = std::min(block_rows, left);
  if (left == 0) return false;
  if (kept_) {
    rows_.data = const_cast<float*>(kept_ + done * source_.dim);
    return true;
  }
  if (along_) rows_.data = static_cast<char*>(to_.data) + done * to_.ld * size_of(to_.dtype);
  if (token_ == stop_) begin();
  count_ = std::min(count_, stop_ - token_);
  make();
  return true;
}

// A run of places is worth a recurrence, from its exact phases on.
void RowTiles::begin() {
  const int64_t end = span_.token + span_.tokens;
  const bool steady = source_.has_waves() && source_.waves.steady;
  const int64_t steps = at_.run(source_.axes, span_.row, token_, end);
  in_run_ = steady && steps >= shortest_run && to_.dtype != DType::f64;
  stop_ = in_run_ || (steady && steps < shortest_run) ? token_ + steps
                                                      : std::min(end, token_ + block_rows);
  if (!in_run_) return;
  int64_t first[max_axes];
  for (int64_t a = 0; a < source_.axes; ++a)
    first[a] = at_.integer(a, span_.row, token_) + source_.waves.shift_whole;
  start_run(source_.waves, span_.column, span_.columns, first, state_);
}

void RowTiles::make() {
  if (in_run_) {
    fill_run_rows(source_.waves, span_.column, span_.columns, state_, count_, rows_);
  } else {
    Coordinates where;
    locate(source_, at_, span_.row, token_, count_, where);
    fill_at(source_, where, span_.column, span_.columns, rows_);
  }
  for (int64_t r = 0; source_.zero_row && r < count_; ++r)
    if (reads_zeros(source_, at_, span_.row, token_ + r))
      std::memset(static_cast<char*>(rows_.data) + r * rows_.ld * size_of(rows_.dtype), 0,
                  static_cast<size_t>(span_.columns * size_of(rows_.dtype)));
}

}  // namespace posenc::cpu
