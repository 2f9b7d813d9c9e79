// lookups.h: terms x . table[row], where x is a query or a key and the places of both say which
// row, on the CPU and in kernels.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/both.h"

namespace posenc {

// Rows by the distance, key - query.
struct DistanceRows {
  int sign = 1;                                 // of the distance
  int64_t shift = 0;                            // what is added to it
  int64_t low = 0, high = 0;                    // where it then ends; low is row 0
  int64_t least = INT64_MIN, most = INT64_MAX;  // distances beyond read nothing
  bool listed = false;                          // the plan lists the row of each of them
  const int32_t* rows = nullptr;                // that list, where a device keeps it

  POSENC_BOTH int64_t count() const { return high - low + 1; }
  // The row, or -1: none.
  POSENC_BOTH int64_t row(int64_t query, int64_t key) const {
    const uint64_t d = static_cast<uint64_t>(key) - static_cast<uint64_t>(query);
    const auto distance = static_cast<int64_t>(d);
    if (distance < least || distance > most) return -1;
    const auto moved = static_cast<int64_t>(static_cast<uint64_t>(shift) + (sign < 0 ? 0 - d : d));
    const int64_t n = (moved < low ? low : moved > high ? high : moved) - low;
    return listed ? rows[n] : n;
  }
};

// Rows by one side, height or width, of the grids whose cells queries and keys are.
struct GridRows {
  int64_t queries = 1, keys = 1;  // cells of the whole grids
  // Where cell n stands on the side: n / step % side.
  int64_t query_step = 1, query_side = 1, key_step = 1, key_side = 1;

  // The row for two cells, or -1 where one is outside.
  POSENC_BOTH int64_t row(int64_t query, int64_t key) const {
    if (query < 0 || query >= queries || key < 0 || key >= keys) return -1;
    const int64_t a = query / query_step % query_side;
    const int64_t b = key_side - 1 - key / key_step % key_side;
    return query_side < key_side ? a * key_side / query_side + b : a + b * query_side / key_side;
  }
};

// One of two rows, by the segments of query and key.
struct SegmentPairRows {
  int64_t same = 0;     // the row of the same segment
  int64_t joined = -1;  // one with all, unless it is -1

  POSENC_BOTH int64_t row(int64_t query, int64_t key) const {
    const bool is_joined = joined >= 0 && (query == joined || key == joined);
    return query == key || is_joined ? same : 1 - same;
  }
};

enum class RowKind : uint8_t { distance, grid, segments };

// Which row a query and a key read.
struct RowRule {
  RowKind kind = RowKind::distance;
  DistanceRows distance{};
  GridRows grid{};
  SegmentPairRows segments{};

  POSENC_BOTH int64_t row(int64_t query, int64_t key) const {
    if (kind == RowKind::grid) return grid.row(query, key);
    if (kind == RowKind::segments) return segments.row(query, key);
    return distance.row(query, key);
  }
};

// One table and who reads it. Entry (head, row, column) of the weight lies at head * head_step +
// row * row_step + column.
struct LookupPart {
  RowRule rule{};
  bool by_key = false;  // x is of the key
  // 1: x is of the query after, and the distance counts from the last key but one: what the first
  // code of Transformer-XL reads for keys after the query.
  int64_t ahead = 0;
  int64_t dim = 0, rows = 0;  // 1 row: all read it
  int64_t head_step = 0;      // 0: heads share the table
  int64_t row_step = 0;
  int weight = -1;      // which the table is; -1: sinusoids of the distance, projected
  int64_t trained = 0;  // rows of that weight, where the table is resized from it; otherwise 0
};

// A sum of such parts.
struct RowLookups {
  static constexpr int most = 3;
  LookupPart parts[most] = {};
  int count = 0;
  // Weights, each -1 where there is none: [heads, dim], added to queries; the first of three that
  // make queries one number, a gate; [heads, dim, inputs], which projects sinusoids.
  int bias = -1, gate = -1, projection = -1;
  int64_t inputs = 0;

  RowLookups& add(const LookupPart& part) {
    parts[count++] = part;
    return *this;
  }
};

inline constexpr int64_t gate_rows = 4;  // of a gate's weight that are summed to one number

// WavLM's gate and its derivatives.
struct GateValue {
  double value;
  double by_a, by_b, by_scale;  // by the sums before the sigmoids and the scale

  POSENC_BOTH GateValue(double sum_a, double sum_b, double scale) {
    const double a = 1 / (1 + std::exp(-sum_a)), b = 1 / (1 + std::exp(-sum_b));
    value = a * (b * scale - 1) + 2;
    by_a = a * (1 - a) * (b * scale - 1), by_b = a * scale * b * (1 - b), by_scale = a * b;
  }
};

}  // namespace posenc
