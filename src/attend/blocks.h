// attend_blocks.h: some queries of one head after the other, against all keys.
#pragma once

#include <algorithm>
#include <limits>

#include "attend/term.h"
#include "attend/values.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "cpu/kernels/products.h"
#include "cpu/kernels/softmax.h"
#include "cpu/row_tiles.h"
#include "relative/bias_rows.h"

namespace posenc {

// Memory of one worker: scores of a block, what is added to one row of them, and results.
template <class C>
struct AttendScratch {
  static constexpr int64_t most_queries = 32;
  int64_t ld;  // from one query's scores to the next
  std::vector<C> scores, extra, sums;
  double total[most_queries] = {};

  explicit AttendScratch(const AttendCall& call)
      : ld(cpu::pieces(call.keys(), 16) * 16 + 16),  // no power of two, which caches dislike
        scores(static_cast<size_t>(rows(call) * ld)),
        extra(static_cast<size_t>(call.keys())),
        sums(static_cast<size_t>(rows(call) * call.value_dim())) {}
  static int64_t rows(const AttendCall& call) { return std::min(most_queries, call.queries()); }
};

template <class C>
class Attention {
 public:
  explicit Attention(const AttendCall& call)
      : call_(call),
        rotary_(std::get_if<RotaryPlan>(&call.encoding)),
        scale_(call.content ? call.content->scale_after : call.scale),
        q_(call.in.q, true),
        k_(call.in.k, rotary_ || call.content || call.queries() > few),
        v_(call.in.v, call.queries() > few),
        out_(call.out, 3) {
    if (rotary_) {
      rotate(*rotary_, {.q = q_.view()}, call.options.queries);
      rotate(*rotary_, {.k = k_.view()}, call.options.keys);
    }
    if (std::holds_alternative<BiasPlan>(call.encoding)) biases_.emplace(call.bias);
    if (call.content) term_.emplace(call, q_, k_);
    for (int64_t row = 0; row < call.rows(); ++row) runs_.push_back(call.bias.keys.is_run(row));
  }

  void run(const QueryBlock& block, AttendScratch<C>& s) const {
    int64_t most = 0;
    for (int64_t i = 0; i < block.count; ++i) most = std::max(most, seen(block, i));
    if (term_) s.ld = most;
    score(block, most, s);
    if (term_ && most > 0) term_->add(block, most, s.scores.data());
    weigh(block, most, s);
    mix(block, most, s);
    if (call_.options.values && most > 0)
      add_values(call_, block, most, s.scores.data(), s.ld, s.sums.data());
    for (int64_t i = 0; i < block.count; ++i) store(block, i, s);
  }

 private:
  static constexpr int64_t few = 8;         // queries for which a copy of all keys does not pay
  static constexpr int64_t key_block = 64;  // so many keys or values stay in the first cache

  // How many keys a query has to do with. Where they stand in any order, those it must not see are
  // among them and get -infinity.
  int64_t seen(const QueryBlock& b, int64_t i) const {
    const bool first_ones = call_.causal && runs_[static_cast<size_t>(b.row)];
    return first_ones ? seen_keys(call_.bias, b.row, b.first + i) : call_.keys();
  }

  void score(const QueryBlock& b, int64_t most, AttendScratch<C>& s) const {
    const int64_t kv = call_.kv_head(b.head);
    for (int64_t k = 0; k < most; k += key_block)
      cpu::dot_rows<C>(b.count, std::min(key_block, most - k), call_.dim(),
                       {q_.at(b.row, b.head, b.first), q_.ld()}, {k_.at(b.row, kv, k), k_.ld()},
                       {s.scores.data() + k, s.ld});
  }

  // What is added to the scaled scores of a query, or null.
  const C* extra(const QueryBlock& b, int64_t i, C* buffer) const {
    const bool run = runs_[static_cast<size_t>(b.row)];
    const C* bias = biases_ ? biases_->row(b.row, b.head, b.first + i, run, buffer) : nullptr;
    if (!call_.causal || run) return bias;
    const double query = call_.bias.queries.value(b.row, b.first + i);
    for (int64_t k = 0; k < call_.keys(); ++k) {
      const bool hidden = call_.bias.keys.value(b.row, k) > query;
      buffer[k] = hidden ? -std::numeric_limits<C>::infinity() : bias ? bias[k] : 0;
    }
    return buffer;
  }

  void weigh(const QueryBlock& b, int64_t most, AttendScratch<C>& s) const {
    for (int64_t i = 0; i < b.count; ++i) {
      C* scores = s.scores.data() + i * s.ld;
      const int64_t n = seen(b, i);
      s.total[i] = cpu::softmax_row<C>(scores, extra(b, i, s.extra.data()), scale_, n);
      std::fill(scores + n, scores + most, C{0});
    }
  }

  void mix(const QueryBlock& b, int64_t most, AttendScratch<C>& s) const {
    const int64_t kv = call_.kv_head(b.head), dim = call_.value_dim();
    std::fill(s.sums.begin(), s.sums.end(), C{0});
    for (int64_t k = 0; k < most; k += key_block)
      cpu::mix_rows<C>(b.count, dim, std::min(key_block, most - k), {s.scores.data() + k, s.ld},
                       {v_.at(b.row, kv, k), v_.ld()}, {s.sums.data(), dim});
  }

  void store(const QueryBlock& b, int64_t i, const AttendScratch<C>& s) const {
    const Tensor& t = out_.t;
    const C* sums = s.sums.data() + i * call_.value_dim();
    const auto total = static_cast<C>(s.total[i]);
    dispatch(t.dtype, [&]<class T>() {
      if constexpr (std::is_same_v<Compute<T>, C>) {
        T* to = static_cast<T*>(out_.at(b.row, b.first + i)) + b.head * t.step(-2);
        for (int64_t f = 0; f < call_.value_dim(); ++f)
          to[f * t.step(-1)] = rounded_to<T>(total == 0 ? 0 : sums[f] / total);
      }
    });
  }

  const AttendCall& call_;
  const RotaryPlan* rotary_;
  double scale_;  // on the scores before the softmax
  HeadRows<C> q_, k_, v_;
  Batch out_;
  std::optional<BiasRows<C>> biases_;
  std::optional<AttendTerm<C>> term_;
  std::vector<bool> runs_;  // whether the keys of a batch row stand one after the other
};

}  // namespace posenc
