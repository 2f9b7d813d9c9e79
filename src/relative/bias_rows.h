// bias_rows.h: the biases of one query over all keys, for head after head.
#pragma once

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "relative/call.h"

namespace posenc {

// Biases by distance, key or entry as a line for each head, where the positions allow it.
template <class C>
class BiasRows {
 public:
  explicit BiasRows(const BiasCall& call) : call_(call) {
    if (call.formula.reads == Reads::both || !call.queries.whole() || !call.keys.whole()) return;
    find_reach();
    const double length = last_ - first_ + 1;
    const auto tokens = static_cast<double>(call.queries.tokens + call.keys.tokens);
    const bool far = length > 8 * tokens + 1024;  // not worth a line
    if (far && call.formula.reads != Reads::entry) return;
    length_ = static_cast<int64_t>(length);
    fill_lines();
  }

  bool on_line() const { return length_ > 0; }
  // Whether the biases of a run of keys lie one after the other.
  bool sliding() const { return on_line() && call_.formula.reads != Reads::entry; }
  int64_t length() const { return length_; }
  double first() const { return first_; }
  // The line's entry for a query and a key of a batch row.
  int64_t entry(int64_t row, int64_t query, int64_t key) const {
    return static_cast<int64_t>(reach(row, query, key) - first_);
  }
  const C* line(int64_t head) const { return lines_.data() + head * length_; }

  // Biases of a query; they lie on the line or are made in `buffer`.
  const C* row(int64_t row, int64_t head, int64_t query, bool run_of_keys, C* buffer) const {
    if (sliding() && run_of_keys) return line(head) + entry(row, query, 0);
    const double at = call_.queries.value(row, query);
    for (int64_t k = 0; k < call_.keys.tokens; ++k)
      buffer[k] =
          on_line() ? line(head)[entry(row, query, k)] : bias(head, at, call_.keys.value(row, k));
    return buffer;
  }

 private:
  double reach(int64_t row, int64_t query, int64_t key) const {
    const double k = call_.keys.value(row, key);
    if (call_.formula.reads == Reads::key) return k;
    const double q = call_.queries.value(row, query);
    if (call_.formula.reads == Reads::distance) return k - q;
    return static_cast<double>(
        call_.formula.entry(static_cast<int64_t>(q), static_cast<int64_t>(k)));
  }
  C bias(int64_t head, double query, double key) const {
    double out;
    call_.formula.bias({call_.first_head + head, 1}, query, key, &out);
    return static_cast<C>(call_.factor * out);
  }

  void find_reach() {
    if (call_.formula.reads == Reads::entry) {
      first_ = 0, last_ = static_cast<double>(call_.formula.entries - 1);
      return;
    }
    double least[2] = {0x1p60, 0x1p60}, most[2] = {-0x1p60, -0x1p60};
    const Line* lines[] = {&call_.queries, &call_.keys};
    for (size_t i = 0; i < 2; ++i)
      for (int64_t row = 0; row < (lines[i]->shared() ? 1 : call_.rows); ++row)
        for (int64_t t = 0; t < lines[i]->tokens; ++t) {
          least[i] = std::min(least[i], lines[i]->value(row, t));
          most[i] = std::max(most[i], lines[i]->value(row, t));
        }
    const bool by_key = call_.formula.reads == Reads::key;
    first_ = by_key ? least[1] : least[1] - most[0];
    last_ = by_key ? most[1] : most[1] - least[0];
  }

  void fill_lines() {
    lines_.resize(static_cast<size_t>(call_.heads * length_));
    constexpr int64_t step = 64;  // entries of a task
    parallel_for((length_ + step - 1) / step, call_.heads * length_ * 64, [&](int64_t task) {
      std::vector<double> at(static_cast<size_t>(call_.heads));
      for (int64_t n = task * step; n < std::min(length_, (task + 1) * step); ++n) {
        call_.formula.bias({call_.first_head, call_.heads}, 0, first_ + static_cast<double>(n),
                           at.data());
        for (int64_t h = 0; h < call_.heads; ++h)
          lines_[static_cast<size_t>(h * length_ + n)] =
              static_cast<C>(call_.factor * at[static_cast<size_t>(h)]);
      }
    });
  }

  BiasCall call_;
  double first_ = 0, last_ = 0;
  int64_t length_ = 0;
  std::vector<C> lines_;
};

}  // namespace posenc
