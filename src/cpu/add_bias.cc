// add_bias.cc: biases added to scores, head by head.
#include "cpu/biases.h"
#include "cpu/score_rows.h"

namespace posenc::cpu {
namespace {

template <class C>
struct BiasAdder {
  const AddBiasOrder& order;
  Biases<C> biases{order.bias, order.at};
  Batch scores{order.scores, 3}, out{order.out, 3};
  bool fetch_ahead = scores.exceeds_caches();

  int64_t keys() const { return order.at.keys.tokens; }

  // Some queries of one head of a batch row; their biases lie `step` apart.
  void add(const ScoreTask& task, int64_t row, const C* bias, int64_t step) const {
    const DType dtype = order.out.dtype;
    const Rows table{const_cast<C*>(bias), dtype_of<C>, step};
    const auto from = scores_at(scores, row, task.head, task.first);
    const auto to = scores_at(out, row, task.head, task.first);
    const auto dense = [&](const RowBlock& b) { return b.row == keys() && b.column == 1; };
    if (order.scale == 1 && step == keys() && dense(from) && dense(to))  // short rows as a long one
      return add_rows(dtype, from, table, to, 1, task.count * keys(), fetch_ahead);
    if (order.scale == 1) return add_rows(dtype, from, table, to, task.count, keys(), fetch_ahead);
    void* rows[query_block];
    for (int64_t i = 0; i < task.count; ++i)
      rows[i] = static_cast<char*>(from.data) + i * from.row * size_of(dtype);
    scale_add_rows(dtype, {rows, from.column, order.scale}, table, to, task.count, keys());
  }

  void hide_keys(const ScoreTask& task, int64_t row) const {
    if (!order.at.causal) return;
    const bool run = order.at.keys.is_run(row);
    const auto to = scores_at(out, row, task.head, task.first);
    dispatch(order.out.dtype, [&]<class T>() {
      for (int64_t i = 0; i < task.count; ++i)
        hide(order.at, row, task.first + i, run, static_cast<T*>(to.data) + i * to.row, to.column);
    });
  }

  void make(const ScoreTask& task, C* buffer) const {
    const bool run = order.at.keys.is_run(task.row);
    for (int64_t i = 0; i < task.count; ++i, buffer += keys()) {
      const C* from = biases.row(task.row, task.head, task.first + i, run, buffer);
      if (from != buffer) std::copy_n(from, keys(), buffer);
    }
  }

  void operator()(const ScoreTask& task) const {
    const bool ready = biases.contiguous(task.row);
    Scratch<C> buffer(ready ? 0 : task.count * keys());
    if (!ready) make(task, buffer.data());
    const C* table =
        ready ? biases.row(task.row, task.head, task.first, true, nullptr) : buffer.data();
    for (int64_t row = task.row; row < task.end; ++row) {
      add(task, row, table, ready ? biases.step() : keys());
      hide_keys(task, row);
    }
  }
};

template <class C>
void add_all(const AddBiasOrder& order) {
  const BiasAdder<C> adder{order};
  for_each_task(adder.biases, order.at, order.out, adder);
}

}  // namespace

void run(const AddBiasOrder& order) {
  dispatch_compute(order.out.dtype, [&]<class C>() { add_all<C>(order); });
}

}  // namespace posenc::cpu
