// fill_bias.cc: biases alone; rows are copies of parts of the profile where keys are a run.
#include <cstring>

#include "cpu/biases.h"
#include "cpu/score_rows.h"

namespace posenc::cpu {
namespace {

template <class T>
struct Filler {
  const FillBiasOrder& order;
  Biases<T> biases{order.bias, order.at};
  Batch out{order.out, 3};

  // Nothing else is stored between the rows, or the processor stops to stream: half the time.
  void copy(const ScoreTask& task, int64_t row) const {
    const auto to = scores_at(out, row, task.head, task.first);
    const T* from = biases.row(task.row, task.head, task.first, true, nullptr);
    T* data = static_cast<T*>(to.data);
    const auto bytes = static_cast<size_t>(order.at.keys.tokens) * sizeof(T);
    for (int64_t i = 0; i < task.count; ++i, data += to.row, from += biases.step())
      std::memcpy(data, from, bytes);
  }

  // One query of all batch rows of the task.
  void fill_query(const ScoreTask& task, int64_t query, T* buffer) const {
    const bool run = order.at.keys.is_run(task.row);
    const int64_t keys = order.at.keys.tokens;
    const T* from = biases.row(task.row, task.head, query, run, buffer);
    for (int64_t row = task.row; row < task.end; ++row) {
      const auto to = scores_at(out, row, task.head, query);
      T* data = static_cast<T*>(to.data);
      if (to.column == 1) std::copy_n(from, keys, data);
      for (int64_t k = 0; to.column != 1 && k < keys; ++k) data[k * to.column] = from[k];
      hide(order.at, row, query, run, data, to.column);
    }
  }

  void operator()(const ScoreTask& task) const {
    if (biases.contiguous(task.row) && order.out.step(-1) == 1 && !order.at.causal) {
      for (int64_t row = task.row; row < task.end; ++row) copy(task, row);
    } else {
      Scratch<T> buffer(order.at.keys.tokens);
      for (int64_t i = 0; i < task.count; ++i) fill_query(task, task.first + i, buffer.data());
    }
  }
};

}  // namespace

void run(const FillBiasOrder& order) {
  dispatch(order.out.dtype, [&]<class T>() {
    const Filler<T> filler{order};
    for_each_task(filler.biases, order.at, order.out, filler);
  });
}

}  // namespace posenc::cpu
