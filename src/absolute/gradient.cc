// gradient.cc: gradients of what absolute schemes learn; every sum runs in a fixed order.
#include <algorithm>

#include "absolute/source.h"
#include "base/batch.h"
#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "base/sums.h"

namespace posenc {
namespace {

using Source = AbsolutePlan::Source;
constexpr int64_t group_columns = cpu::column_padding;

// Sums over all tokens for a group of columns.
struct Sums {
  double rate[max_axes][group_columns] = {}, offset[group_columns] = {};
  double amplitude[group_columns] = {};
};

int64_t position_rows(const Positions& at) { return at.is_range() ? 1 : at.ids.size(1); }

// Calls use(first batch row, end batch row, first token, coordinates) for all tokens in order.
template <class Use>
void for_each_block(const Source& source, const Positions& at, const Batch& batch, const Use& use) {
  const int64_t rows = position_rows(at);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t token = 0; token < batch.tokens(); token += cpu::block_rows) {
      cpu::Coordinates where;
      locate(source, at, row, token, std::min(cpu::block_rows, batch.tokens() - token), where);
      use(row, rows == 1 ? batch.rows : row + 1, token, where);
    }
}

template <class T>
Sums sum_columns(const Source& source, const Positions& at, const Batch& dout, int64_t column,
                 int64_t columns) {
  Sums sums;
  for_each_block(
      source, at, dout,
      [&](int64_t first, int64_t end, int64_t token, const cpu::Coordinates& where) {
        double slope[cpu::block_rows * group_columns], unit[cpu::block_rows * group_columns];
        cpu::fill_rows_at(source.slopes, column, columns, where,
                          {slope, DType::f64, group_columns});
        cpu::fill_rows_at(source.units, column, columns, where, {unit, DType::f64, group_columns});
        for (int64_t row = first; row < end; ++row)
          for (int64_t t = 0; t < where.rows; ++t) {
            if (reads_zeros(source, at, first, token + t)) continue;
            for (int64_t c = 0; c < columns; ++c) {
              const double g =
                  as_double(*static_cast<const T*>(dout.at(row, token + t, column + c)));
              const auto kind = source.waves.columns[static_cast<size_t>(column + c)].kind;
              const double by_offset =
                  g * (kind == Wave::Kind::line ? 1 : slope[t * group_columns + c]);
              sums.offset[c] += by_offset;
              for (int64_t a = 0; a < source.axes; ++a)
                sums.rate[a][c] += by_offset * where.value[a][t];
              sums.amplitude[c] += g * unit[t * group_columns + c];
            }
          }
      });
  return sums;
}

// Adds sums to the gradients; one that many columns share (a learned scale) is rounded once.
class Collector {
 public:
  explicit Collector(std::span<const Tensor> dweights) : dweights_(dweights) {}
  ~Collector() { write(); }
  void add(const Link& link, double sum) {
    if (link.weight < 0) return;
    if (link.weight != to_.weight || link.entry != to_.entry) write(), to_ = link, sum_ = 0;
    sum_ += link.factor * sum;
  }

 private:
  void write() {
    if (to_.weight < 0) return;
    const Tensor& weight = dweights_[static_cast<size_t>(to_.weight)];
    int64_t at = 0, rest = to_.entry;
    for (int i = weight.rank - 1; i >= 0; --i, rest /= weight.size(i + 1))
      at += rest % weight.size(i) * weight.step(i);
    if (weight.dtype == DType::f64) {
      static_cast<double*>(weight.data)[at] += sum_;
    } else {
      static_cast<float*>(weight.data)[at] += static_cast<float>(sum_);
    }
  }
  std::span<const Tensor> dweights_;
  Link to_;
  double sum_ = 0;
};

void waves_backward(const Source& source, const Positions& at, const Batch& dout,
                    std::span<const Tensor> dweights) {
  const int64_t groups = (source.dim + group_columns - 1) / group_columns;
  const auto columns_of = [&](int64_t group) {
    return std::min(group_columns, source.dim - group * group_columns);
  };
  Collector collector(dweights);
  ordered_parallel_for(
      groups, dout.t.elements() * size_of(dout.t.dtype),
      [&](int64_t group) {
        return dispatch(dout.t.dtype, [&]<class T>() {
          return sum_columns<T>(source, at, dout, group * group_columns, columns_of(group));
        });
      },
      [&](int64_t group, const Sums& sums) {
        for (int64_t c = 0; c < columns_of(group); ++c) {
          const Wave& wave = source.waves.columns[static_cast<size_t>(group * group_columns + c)];
          for (size_t a = 0; a < wave.rate_link.size(); ++a)
            collector.add(wave.rate_link[a], sums.rate[a][c]);
          collector.add(wave.offset_link, sums.offset[c]);
          collector.add(wave.amplitude_link, sums.amplitude[c]);
        }
      });
}

// dtable[row_of(batch row, token)] += scale * dout; a row below 0 is skipped. Each thread owns a
// part of the columns and walks all tokens in order, so sums are reproducible without atomics.
template <class RowOf>
void scatter(const Batch& dout, const Tensor& dtable, double scale, const RowOf& row_of) {
  const Batch to(dtable, 2);
  const int64_t dim = dout.t.size(-1), bytes = dout.t.elements() * size_of(dout.t.dtype);
  const int64_t lines = (dim + 15) / 16;  // of 64 bytes
  const int64_t groups = std::min(threads_for(bytes), lines);
  parallel_for(groups, bytes, [&](int64_t group) {
    const int64_t column = lines * group / groups * 16;
    const int64_t columns = std::min(lines * (group + 1) / groups * 16, dim) - column;
    void* sums[cpu::block_rows];
    for (int64_t row = 0; row < dout.rows; ++row)
      for (int64_t token = 0; token < dout.tokens();) {
        const int64_t most = std::min(cpu::block_rows, dout.tokens() - token);
        int64_t count = 0, q = 0;
        for (; count < most && (q = row_of(row, token + count)) >= 0; ++count)
          sums[count] = to.at(0, q, column);
        cpu::accumulate_rows(dout.t.dtype, dout.block(row, token, column),
                             {sums, dtable.step(1), scale}, count, columns);
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

void table_backward(const Table& table, const Positions& at, const Batch& dout,
                    std::span<const Tensor> dweights) {
  const bool shared = position_rows(at) == 1;
  const auto row_of = [&](int64_t row, int64_t token) {
    return whole_position(at, 0, shared ? 0 : row, token) + table.offset;
  };
  scatter(dout, dweights[0], table.factor, [&](int64_t row, int64_t token) {
    const int64_t q = row_of(row, token);
    return q == table.padding ? -1 : q;
  });
  if (table.learned_scale) Collector(dweights).add({1, 0, 1}, alpha_gradient(table, dout, row_of));
}

}  // namespace

void backward(const AbsolutePlan& plan, const Tensor& dout, std::span<const Tensor> dweights,
              const Positions& at) {
  const Source& source = plan.source();
  check_rows("backward", "dout", dout, source.dim);
  const Batch batch(dout, 2);
  check_positions("backward", source, at, batch.rows, batch.tokens());
  check_gradients("backward", source.shapes, dweights, dout.dtype);
  check_gradients_apart("backward", dweights, {dout, at.ids});
  if (source.table) check_gradients_apart("backward", dweights, {source.table->rows});
  if (source.weights == 0) return;
  if (source.table) return table_backward(*source.table, at, batch, dweights);
  waves_backward(source, at, batch, dweights);
}

void embed_backward(const Tensor& ids, const Tensor& dout, const Tensor& dembedding, double scale) {
  if (dout.rank < 2)
    fail("embed_backward", "expected dout [..., tokens, dim], got ", describe(dout));
  check_rows("embed_backward", "dout", dout, dout.size(-1));
  check_vocabulary("embed_backward", "dembedding", dembedding, compute_type(dout.dtype),
                   dout.size(-1));
  check_output("embed_backward", dembedding);
  check_ids("embed_backward", ids, dout, dembedding.size(0));
  check_apart("embed_backward", "dembedding", dembedding, "dout", dout);
  check_apart("embed_backward", "dembedding", dembedding, "the ids", ids);
  check_finite("embed_backward", "scale", scale);
  const Batch id(ids, 1);
  scatter(Batch(dout, 2), dembedding, scale,
          [&](int64_t row, int64_t token) { return integer(ids.dtype, id.at(row, token)); });
}

}  // namespace posenc
