// planning.h: what every planner of positions checks and makes.
#pragma once

#include <string_view>
#include <vector>

#include "base/memory.h"
#include "posenc/positions.h"

namespace posenc::planning {

// a + b and a * b, or an Error that names what does not fit 64 bits.
int64_t sum(std::string_view where, std::string_view what, int64_t a, int64_t b);
int64_t product(std::string_view where, std::string_view what, int64_t a, int64_t b);

void check_at_least(std::string_view where, std::string_view what, int64_t value, int64_t least);
// No fewer than 0 tokens, and the last position fits 64 bits.
void check_run(std::string_view where, int64_t first, int64_t tokens);

// The numbers of an i32 or i64 tensor [n].
std::vector<int64_t> integers(std::string_view where, std::string_view what, const Tensor& t);
// The same for cumulative lengths: from 0 on, never falling.
std::vector<int64_t> cumulative(std::string_view where, const Tensor& t);

// [axes, rows, tokens], all 0.
template <class T>
Planned<T> make(std::string_view where, int64_t axes, int64_t rows, int64_t tokens) {
  const int64_t cells =
      product(where, "positions", product(where, "positions", axes, rows), tokens);
  const int64_t bytes = product(where, "bytes of positions", cells, 16);  // a margin of two
  return {axes, rows, tokens, zeros<T>(where, "positions", bytes / 16)};
}

}  // namespace posenc::planning
