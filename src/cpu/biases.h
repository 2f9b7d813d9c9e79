// biases.h: the biases of one query over all keys, for head after head.
#pragma once

#include "base/half.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "orders/orders.h"
#include "relative/formula.h"

namespace posenc::cpu {

// Where a token stands on so many axes; one that is alone serves all of them.
inline void read_point(const Places& at, int64_t row, int64_t token, int64_t axes, double* out) {
  for (int64_t a = 0; a < axes; ++a) out[a] = at.value(at.axes() == 1 ? 0 : a, row, token);
}

// As E: the compute type, or the type they are written as.
template <class E>
class Biases {
 public:
  Biases(const BiasSource& source, const ScorePlaces& at) : source_(source), at_(at) {}

  bool on_profile() const { return source_.range.count > 0; }
  // Whether the biases of a run of keys lie one after the other.
  bool contiguous() const { return on_profile() && source_.reads != Reads::entry; }
  // Whether those of all queries of a batch row do so too, `step()` apart.
  bool contiguous(int64_t row) const {
    return contiguous() && at_.keys.is_run(row) && at_.queries.is_run(row);
  }
  int64_t step() const { return source_.reads == Reads::key ? 0 : -1; }

  // The profile's entry for a query and a key of a batch row.
  int64_t entry(int64_t row, int64_t query, int64_t key) const {
    const int64_t k = at_.keys.integer(0, row, key);
    if (source_.reads == Reads::key) return k - source_.range.first;
    const int64_t q = at_.queries.integer(0, row, query);
    return source_.reads == Reads::entry ? source_.formula->window.entry(q, k)
                                         : k - q - source_.range.first;
  }

  // Biases of a query; they lie on the profile or are made in `buffer`.
  const E* row(int64_t row, int64_t head, int64_t query, bool run_of_keys, E* buffer) const {
    const E* profile = static_cast<const E*>(source_.profile) + head * source_.ld;
    if (contiguous() && run_of_keys) return profile + entry(row, query, 0);
    if (on_profile()) {
      for (int64_t k = 0; k < at_.keys.tokens; ++k) buffer[k] = profile[entry(row, query, k)];
    } else {
      by_pair(row, head, query, buffer);
    }
    return buffer;
  }

 private:
  void by_pair(int64_t row, int64_t head, int64_t query, E* out) const {
    const int64_t n = at_.keys.tokens, axes = source_.formula->axes();
    Scratch<double> keys(n * axes), from(axes);
    read_point(at_.queries, row, query, axes, from.data());
    for (int64_t k = 0; k < n; ++k) read_point(at_.keys, row, k, axes, keys.data() + k * axes);
    source_.formula->biases({source_.first_head + head, 1}, from.data(), {keys.begin(), keys.end()},
                            keys.data());
    for (int64_t k = 0; k < n; ++k)
      out[k] = rounded_to<E>(static_cast<Compute<E>>(source_.factor * keys[k]));
  }

  const BiasSource& source_;
  const ScorePlaces& at_;
};

// Work on [..., heads, queries, keys]: some queries of a head, and batch rows [row, end) which
// share positions where there are several.
struct ScoreTask {
  int64_t row, end, head, first, count;
};
inline constexpr int64_t query_block = 64;

// Batch rows go together where that saves making biases again.
template <class E, class F>
void for_each_task(const Biases<E>& biases, const ScorePlaces& at, const Tensor& out, const F& f) {
  const int64_t bytes = out.elements() * size_of(out.dtype), heads = out.size(-3);
  const int64_t queries = at.queries.tokens, blocks = (queries + query_block - 1) / query_block;
  const bool together = at.shared() && !biases.contiguous(0);
  const int64_t groups = together ? std::min(at.rows, threads_for(bytes)) : at.rows;
  parallel_for(groups * heads * blocks, bytes, [&](int64_t n) {
    const int64_t group = n / blocks / heads, first = n % blocks * query_block;
    f(ScoreTask{group * at.rows / groups, (group + 1) * at.rows / groups, n / blocks % heads, first,
                std::min(query_block, queries - first)});
  });
}

// -infinity for the keys hidden from a query.
template <class T>
void hide(const ScorePlaces& at, int64_t row, int64_t query, bool run_of_keys, T* out,
          int64_t step) {
  const T hidden = rounded_to<T>(-std::numeric_limits<Compute<T>>::infinity());
  at.each_hidden(row, query, run_of_keys, [&](int64_t k) { out[k * step] = hidden; });
}

}  // namespace posenc::cpu
