// row_gradient.cc: gradients of what rows are made of; every sum runs in a fixed order.
#include <algorithm>

#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "cpu/lookups.h"
#include "cpu/row_tiles.h"
#include "orders/orders.h"

namespace posenc::cpu {
namespace {

constexpr int64_t group_columns = column_padding;

// Sums over all tokens for a group of columns.
struct GroupSums {
  double rate[max_axes][group_columns] = {}, offset[group_columns] = {};
  double amplitude[group_columns] = {};
};

struct WaveGradient {
  const RowGradientOrder& order;
  const RowSource& rows = order.rows;
  Batch dout{order.dout, 2};

  int64_t groups() const { return pieces(rows.dim, group_columns); }
  int64_t columns(int64_t group) const {
    return std::min(group_columns, rows.dim - group * group_columns);
  }

  // The places of a row are shared by all batch rows, or each has its own.
  GroupSums sum(int64_t group) const {
    GroupSums out;
    const int64_t own = order.at.shared() ? 1 : dout.rows;
    for (int64_t row = 0; row < own; ++row)
      for (int64_t token = 0; token < order.at.tokens; token += block_rows)
        dispatch(dout.t.dtype, [&]<class T>() {
          add_block<T>(group, row, own == 1 ? dout.rows : row + 1, token, out);
        });
    return out;
  }

  template <class T>
  void add_block(int64_t group, int64_t first, int64_t end, int64_t token, GroupSums& out) const {
    const int64_t column = group * group_columns, count = columns(group);
    Coordinates where;
    locate(rows, order.at, first, token, std::min(block_rows, order.at.tokens - token), where);
    double slope[block_rows * group_columns], unit[block_rows * group_columns];
    fill_rows_at(rows.slopes, column, count, where, {slope, DType::f64, group_columns});
    fill_rows_at(rows.units, column, count, where, {unit, DType::f64, group_columns});
    for (int64_t row = first; row < end; ++row)
      for (int64_t t = 0; t < where.rows; ++t) {
        if (reads_zeros(rows, order.at, first, token + t)) continue;
        for (int64_t c = 0; c < count; ++c) {
          const double g = as_double(*static_cast<const T*>(dout.at(row, token + t, column + c)));
          const bool line =
              rows.waves.columns[static_cast<size_t>(column + c)].kind == Wave::Kind::line;
          const double by_offset = g * (line ? 1 : slope[t * group_columns + c]);
          out.offset[c] += by_offset;
          for (int64_t a = 0; a < rows.axes; ++a) out.rate[a][c] += by_offset * where.value[a][t];
          out.amplitude[c] += g * unit[t * group_columns + c];
        }
      }
  }
};

// Adds sums to the gradients; one that columns in a row share (a learned scale) is rounded once.
class Collector {
 public:
  explicit Collector(std::span<const Tensor> dweights) : dweights_(dweights) {}
  void add(const Link& link, double sum) {
    if (link.weight < 0) return;
    if (link.weight != to_.weight || link.entry != to_.entry) write(), to_ = link, sum_ = 0;
    sum_ += link.factor * sum;
  }
  void write() const {
    if (to_.weight >= 0) add_value(dweights_[static_cast<size_t>(to_.weight)], to_.entry, sum_);
  }

 private:
  std::span<const Tensor> dweights_;
  Link to_;
  double sum_ = 0;
};

void waves_backward(const RowGradientOrder& order) {
  const WaveGradient gradient{order};
  Collector collector(order.dweights);
  ordered_parallel_for(
      gradient.groups(), order.dout.elements() * size_of(order.dout.dtype),
      [&](int64_t group) { return gradient.sum(group); },
      [&](int64_t group, const GroupSums& sums) {
        for (int64_t c = 0; c < gradient.columns(group); ++c) {
          const Wave& wave =
              order.rows.waves.columns[static_cast<size_t>(group * group_columns + c)];
          for (size_t a = 0; a < wave.rate_link.size(); ++a)
            collector.add(wave.rate_link[a], sums.rate[a][c]);
          collector.add(wave.offset_link, sums.offset[c]);
          collector.add(wave.amplitude_link, sums.amplitude[c]);
        }
      });
  collector.write();
}

// sums[row_of(batch row, token)] += scale * dout; a row below 0 is skipped. Each thread owns a part
// of the columns and walks all tokens in order, so sums are reproducible without atomics.
template <class RowOf>
void scatter(const Batch& dout, const Tensor& sums, double scale, const RowOf& row_of) {
  const Batch to(sums, 2);
  const int64_t dim = dout.t.size(-1), bytes = dout.t.elements() * size_of(dout.t.dtype);
  const int64_t lines = pieces(dim, 16);  // of 64 bytes
  const int64_t groups = std::min(threads_for(bytes), lines);
  parallel_for(groups, bytes, [&](int64_t group) {
    const int64_t column = lines * group / groups * 16;
    const int64_t columns = std::min(lines * (group + 1) / groups * 16, dim) - column;
    void* found[block_rows];
    for (int64_t row = 0; row < dout.rows; ++row)
      for (int64_t token = 0; token < dout.tokens();) {
        const int64_t most = std::min(block_rows, dout.tokens() - token);
        int64_t count = 0, q = 0;
        for (; count < most && (q = row_of(row, token + count)) >= 0; ++count)
          found[count] = to.at(0, q, column);
        accumulate_rows(dout.t.dtype, dout.block(row, token, column), {found, sums.step(1), scale},
                        count, columns);
        token += q < 0 ? count + 1 : count;
      }
  });
}

// d(alpha) of a learned table: the sum of dout * fixed * table[row].
double alpha_gradient(const Table& table, const Batch& dout, const auto& row_of) {
  const Batch rows(table.rows, 2);
  double sum = 0;
  dispatch(dout.t.dtype, [&]<class T>() {
    dispatch(table.rows.dtype, [&]<class W>() {
      for (int64_t row = 0; row < dout.rows; ++row)
        for (int64_t token = 0; token < dout.tokens(); ++token)
          for (int64_t c = 0; c < dout.t.size(-1); ++c)
            sum += as_double(*static_cast<const T*>(dout.at(row, token, c))) *
                   as_double(*static_cast<const W*>(rows.at(0, row_of(row, token), c)));
    });
  });
  return sum * table.fixed;
}

void table_backward(const Table& table, const RowGradientOrder& order) {
  const Batch dout(order.dout, 2);
  const auto row_of = [&](int64_t row, int64_t token) {
    return order.at.integer(0, row, token) + table.offset;
  };
  scatter(dout, order.dweights[0], table.factor, [&](int64_t row, int64_t token) {
    const int64_t q = row_of(row, token);
    return q == table.padding ? -1 : q;
  });
  if (table.learned_scale) add_value(order.dweights[1], 0, alpha_gradient(table, dout, row_of));
}

}  // namespace

void run(const RowGradientOrder& order) {
  if (order.rows.table) return table_backward(*order.rows.table, order);
  order.rows.has_waves() ? waves_backward(order) : add_lookup_gradient(order);
}

void run(const ScatterOrder& order) {
  const Batch ids(order.ids, 1);
  scatter(Batch(order.dout, 2), order.sums, order.scale,
          [&](int64_t row, int64_t token) { return integer(order.ids.dtype, ids.at(row, token)); });
}

}  // namespace posenc::cpu
