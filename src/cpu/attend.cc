// attend.cc: some queries of one head after the other, against all keys.
#include <optional>

#include "base/subnormals.h"
#include "cpu/attend_term.h"
#include "cpu/biases.h"
#include "cpu/head_rows.h"
#include "cpu/kernels/products.h"
#include "cpu/kernels/softmax.h"

namespace posenc::cpu {
namespace {

constexpr int64_t most_queries = 32;  // of a block
constexpr int64_t few = 8;            // queries for which a copy of all keys does not pay
constexpr int64_t key_block = 64;     // so many keys or values stay in the first cache

// Memory of one worker: scores of a block, what is added to one row of them, and results.
template <class C>
struct Worker {
  int64_t ld;  // from one query's scores to the next
  Scratch<C> scores, extra, sums;
  double total[most_queries];

  explicit Worker(const AttendOrder& order)
      : ld(pieces(order.at.keys.tokens, 16) * 16 + 16),  // padded against cache-set aliasing
        scores(rows(order) * ld),
        extra(order.at.keys.tokens),
        sums(rows(order) * order.out.size(-1)) {}
  static int64_t rows(const AttendOrder& order) {
    return std::min(most_queries, order.at.queries.tokens);
  }
};

template <class C>
class Attention {
 public:
  explicit Attention(const AttendOrder& order)
      : order_(order),
        at_(order.at),
        scale_(order.term ? order.term->after : order.scale),
        group_(order.q.size(-2) / order.k.size(-2)),
        q_(order.q, true),
        k_(order.k, order.rotate_k || order.term || at_.queries.tokens > few),
        v_(order.v, at_.queries.tokens > few),
        out_(order.out, 3),
        runs_(at_.rows) {
    if (order.rotate_q) rotate(*order.rotate_q, &RotateOrder::q, q_.view());
    if (order.rotate_k) rotate(*order.rotate_k, &RotateOrder::k, k_.view());
    if (order.bias) biases_.emplace(*order.bias, at_);
    if (order.term) term_.emplace(*order.term, at_);
    if (order.values) values_.emplace(*order.values, at_);
    for (int64_t row = 0; row < at_.rows; ++row) runs_[row] = at_.keys.is_run(row);
  }

  void run(const QueryBlock& b, Worker<C>& w) const {
    int64_t most = 0;
    for (int64_t i = 0; i < b.count; ++i) most = std::max(most, seen(b, i));
    if (term_) w.ld = most;
    score(b, most, w);
    if (term_ && most > 0) add_term(b, most, w.scores.data());
    weigh(b, most, w);
    mix(b, most, w);
    if (values_ && most > 0)
      add_vectors(values_->block(b, most), w.scores.data(), w.ld, w.sums.data());
    for (int64_t i = 0; i < b.count; ++i) store(b, i, w);
  }

 private:
  // Does with a copy, in place, what the order says of the tensor.
  static void rotate(RotateOrder order, RotaryHeads RotateOrder::*side, const Tensor& copy) {
    (order.*side).in = (order.*side).out = copy;
    cpu::run(order);
  }

  int64_t seen(const QueryBlock& b, int64_t i) const {
    return at_.seen(b.row, b.first + i, runs_[b.row]);
  }

  void score(const QueryBlock& b, int64_t most, Worker<C>& w) const {
    for (int64_t k = 0; k < most; k += key_block)
      dot_rows<C>(b.count, std::min(key_block, most - k), order_.q.size(-1),
                  {q_.at(b.row, b.head, b.first), q_.ld()},
                  {k_.at(b.row, b.head / group_, k), k_.ld()}, {w.scores.data() + k, w.ld});
  }

  // scores [count, keys]: products of queries with the first keys, to be scaled and added to. What
  // is left of the scale is the softmax's. q and k are copies, whose rows are contiguous.
  void add_term(const QueryBlock& b, int64_t keys, C* scores) const {
    if (const auto scale = static_cast<C>(order_.term->before); scale != 1)
      for (int64_t n = 0; n < b.count * keys; ++n) scores[n] *= scale;
    TermBlock<C> block = term_->block(b, keys);
    block.q = q_.at(b.row, b.head, b.first), block.k = k_.at(b.row, b.head / group_, 0);
    cpu::add_term(block, scores);
  }

  // What is added to the scaled scores of a query, or null.
  const C* extra(const QueryBlock& b, int64_t i, C* buffer) const {
    const bool run = runs_[b.row];
    const int64_t query = b.first + i, keys = at_.keys.tokens;
    const C* bias = biases_ ? biases_->row(b.row, b.head, query, run, buffer) : nullptr;
    if (!at_.causal || run) return bias;
    if (!bias) std::fill(buffer, buffer + keys, C{0});
    if (bias && bias != buffer) std::copy_n(bias, keys, buffer);
    hide(at_, b.row, query, run, buffer, 1);
    return buffer;
  }

  void weigh(const QueryBlock& b, int64_t most, Worker<C>& w) const {
    for (int64_t i = 0; i < b.count; ++i) {
      C* scores = w.scores.data() + i * w.ld;
      const int64_t n = seen(b, i);
      w.total[i] = softmax_row(scores, extra(b, i, w.extra.data()), scale_, n);
      std::fill(scores + n, scores + most, C{0});
    }
  }

  void mix(const QueryBlock& b, int64_t most, Worker<C>& w) const {
    const int64_t dim = order_.out.size(-1);
    std::fill(w.sums.begin(), w.sums.end(), C{0});
    for (int64_t k = 0; k < most; k += key_block)
      mix_rows<C>(b.count, dim, std::min(key_block, most - k), {w.scores.data() + k, w.ld},
                  {v_.at(b.row, b.head / group_, k), v_.ld()}, {w.sums.data(), dim});
  }

  void store(const QueryBlock& b, int64_t i, const Worker<C>& w) const {
    const auto to = head_at(out_, b.row, b.first + i, b.head);
    const int64_t dim = order_.out.size(-1);
    const C* sums = w.sums.data() + i * dim;
    const auto total = static_cast<C>(w.total[i]);
    dispatch(order_.out.dtype, [&]<class T>() {
      for (int64_t f = 0; f < dim; ++f)
        static_cast<T*>(to.data)[f * to.column] =
            rounded_to<T>(static_cast<Compute<T>>(total == 0 ? 0 : sums[f] / total));
    });
  }

  const AttendOrder& order_;
  const ScorePlaces& at_;
  double scale_;   // on the scores before the softmax
  int64_t group_;  // heads that share one of k and v
  HeadRows<C> q_, k_, v_;
  Batch out_;
  Scratch<bool> runs_;  // whether the keys of a batch row stand one after the other
  std::optional<Biases<C>> biases_;
  std::optional<CallTerm<C>> term_, values_;
};

// Workers take blocks in turn, which shares the work of a causal mask fairly.
template <class C>
void attend_all(const AttendOrder& order) {
  const Attention<C> attention(order);
  const int64_t queries = order.at.queries.tokens, heads = order.q.size(-2);
  const int64_t blocks = pieces(queries, most_queries), tasks = order.at.rows * heads * blocks;
  // A product of two numbers takes about as long as moving a byte.
  const int64_t bytes = order.at.rows * heads * queries * order.at.keys.tokens * order.q.size(-1);
  const int64_t workers = std::min(tasks, threads_for(bytes));
  parallel_for(workers, bytes, [&](int64_t worker) {
    [[maybe_unused]] const FlushSubnormals flush;  // weights of far keys
    Worker<C> memory(order);
    for (int64_t n = worker; n < tasks; n += workers) {
      check_interrupt();
      const int64_t first = n % blocks * most_queries;
      attention.run(
          {n / blocks / heads, n / blocks % heads, first, std::min(most_queries, queries - first)},
          memory);
    }
  });
}

}  // namespace

void run(const AttendOrder& order) {
  dispatch_compute(order.out.dtype, [&]<class C>() { attend_all<C>(order); });
}

}  // namespace posenc::cpu
