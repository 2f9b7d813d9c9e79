// add.cc: biases added to scores, head by head.
#include <algorithm>

#include "base/check.h"
#include "base/dispatch.h"
#include "relative/walk.h"

namespace posenc {
namespace {

constexpr int64_t query_block = 64;

template <class C>
struct Adder {
  const BiasCall& call;
  const BiasRows<C>& rows;
  Batch in, out;
  double scale;
  bool causal;

  // Queries [first, first + count) of one head; their rows lie `step` apart on the line.
  void add(int64_t row, int64_t head, int64_t first, int64_t count, const C* bias,
           int64_t step) const {
    const DType dtype = in.t.dtype;
    const cpu::Rows table{const_cast<C*>(bias), dtype_of<C>, step};
    const auto from = rows_at(in, row, head, first), to = rows_at(out, row, head, first);
    const int64_t keys = call.keys.tokens;
    const auto dense = [&](const cpu::Block& b) { return b.row == keys && b.column == 1; };
    if (scale == 1 && step == keys && dense(from) && dense(to))  // short rows as a long one
      return cpu::add_rows(dtype, from, table, to, 1, count * keys, in.far());
    if (scale == 1) return cpu::add_rows(dtype, from, table, to, count, keys, in.far());
    void* scores[query_block];
    for (int64_t i = 0; i < count; ++i)
      scores[i] = static_cast<char*>(from.data) + i * from.row * size_of(dtype);
    cpu::scale_add_rows(dtype, {scores, from.column, scale}, table, to, count, keys);
  }

  void hide(int64_t row, int64_t head, int64_t first, int64_t count, bool run_of_keys) const {
    const auto to = rows_at(out, row, head, first);
    dispatch(out.t.dtype, [&]<class T>() {
      for (int64_t i = 0; i < count; ++i)
        mask(call, row, first + i, run_of_keys, static_cast<T*>(to.data) + i * to.row, to.column);
    });
  }

  // Biases of queries [first, first + count): on the line, or made in `buffer`.
  std::pair<const C*, int64_t> biases(int64_t row, int64_t head, int64_t first, int64_t count,
                                      bool keys_run, std::vector<C>& buffer) const {
    const int64_t keys = call.keys.tokens;
    if (rows.sliding() && keys_run && call.queries.is_run(row)) {
      const int64_t step = call.formula.reads == Reads::key ? 0 : -1;
      return {rows.row(row, head, first, true, nullptr), step};
    }
    buffer.resize(static_cast<size_t>(count * keys));
    for (int64_t i = 0; i < count; ++i) {
      C* to = buffer.data() + i * keys;
      const C* from = rows.row(row, head, first + i, keys_run, to);
      if (from != to) std::copy_n(from, keys, to);
    }
    return {buffer.data(), keys};
  }

  // Batch rows [row, end), which share positions and so biases.
  void block(int64_t row, int64_t end, int64_t head, int64_t first, int64_t count) const {
    std::vector<C> buffer;
    std::pair<const C*, int64_t> table;
    for (int64_t r = row; r < end; ++r) {
      const bool keys_run = call.keys.is_run(r);
      if (r == row) table = biases(r, head, first, count, keys_run, buffer);
      add(r, head, first, count, table.first, table.second);
      if (causal) hide(r, head, first, count, keys_run);
    }
  }
};

template <class C>
void add_all(const BiasCall& call, const Tensor& scores, const Tensor& out,
             const ScoreOptions& options) {
  const BiasRows<C> rows(call);
  const Adder<C> adder{call, rows, Batch(scores, 3), Batch(out, 3), options.scale, options.causal};
  const int64_t blocks = (call.queries.tokens + query_block - 1) / query_block;
  const int64_t groups = row_groups(call, rows, out), heads = call.heads;
  parallel_for(groups * heads * blocks, out.elements() * size_of(out.dtype), [&](int64_t n) {
    const int64_t group = n / blocks / heads, first = n % blocks * query_block;
    adder.block(group * call.rows / groups, (group + 1) * call.rows / groups, n / blocks % heads,
                first, std::min(query_block, call.queries.tokens - first));
  });
}

}  // namespace

void add(const BiasPlan& plan, const Tensor& scores, const Tensor& out,
         const ScoreOptions& options) {
  const BiasCall call = check_call("add", plan, scores, options);
  check_same("add", "out", out, scores);
  check_output("add", out);
  check_overlap("add", scores, out);
  check_apart("add", out, options);
  if (out.elements() == 0) return;
  if (scores.dtype == DType::f64) return add_all<double>(call, scores, out, options);
  add_all<float>(call, scores, out, options);
}

void add(const Bias& scheme, const Tensor& scores, const ScoreOptions& options,
         const PlanOptions& plan) {
  add(prepare(scheme, plan), scores, options);
}

}  // namespace posenc
