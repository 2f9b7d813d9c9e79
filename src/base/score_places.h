// score_places.h: where the queries and keys of scores stand, and which keys a query sees.
#pragma once

#include <algorithm>

#include "base/places.h"

namespace posenc {

struct Reach {
  double least, most;
};

struct ScorePlaces {
  Places queries, keys;
  int64_t rows = 1;     // of the batch
  bool causal = false;  // keys after the query are hidden

  bool shared() const { return queries.shared() && keys.shared(); }
  bool whole() const { return queries.whole() && keys.whole(); }
  bool on_host() const { return queries.on_host() && keys.on_host(); }

  bool hides(int64_t row, int64_t query, int64_t key) const {
    return causal && keys.value(row, key) > queries.value(row, query);
  }
  // How many keys, from the first on, a query has to do with: those it sees, where keys are a run;
  // otherwise all, with some hidden among them.
  int64_t seen(int64_t row, int64_t query, bool run_of_keys) const {
    if (!causal || !run_of_keys) return keys.tokens;
    const double seen = queries.value(row, query) - keys.value(row, 0) + 1;
    return static_cast<int64_t>(std::clamp(seen, 0.0, static_cast<double>(keys.tokens)));
  }
  // Calls f(key) for every key hidden from a query.
  template <class F>
  void each_hidden(int64_t row, int64_t query, bool run_of_keys, const F& f) const {
    if (!causal || keys.tokens == 0) return;
    const int64_t first = run_of_keys ? seen(row, query, true) : 0;
    for (int64_t k = first; k < keys.tokens; ++k)
      if (run_of_keys || hides(row, query, k)) f(k);
  }

  // Of key - query, over all of them; least is above most where there are none.
  Reach distances() const {
    const Reach q = reach(queries), k = reach(keys);
    return {k.least - q.most, k.most - q.least};
  }
  Reach reach(const Places& at) const {
    if (at.at.is_range())
      return {static_cast<double>(at.at.first), static_cast<double>(at.at.first + at.tokens - 1)};
    Reach out{0x1p60, -0x1p60};
    for (int64_t row = 0; row < (at.shared() ? 1 : rows); ++row)
      for (int64_t t = 0; t < at.tokens; ++t) {
        const double p = at.value(row, t);
        out = {std::min(out.least, p), std::max(out.most, p)};
      }
    return out;
  }

  // `count` queries of one batch row, from `query` on, and its first `keys` keys.
  ScorePlaces part(int64_t row, int64_t query, int64_t count, int64_t keys_seen) const {
    return {queries.part(row, query, count), keys.part(row, 0, keys_seen), 1, causal};
  }
};

}  // namespace posenc
