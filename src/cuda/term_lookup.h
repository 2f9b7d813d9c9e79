// term_lookup.h: terms x . table[row], where x is a query or a key, and the places of both say
// which row. CoPE, forget gates and KERPLE's weights apart, schemes are sums of such parts.
#pragma once

#include <optional>

#include "content/decomposed.h"
#include "content/segment_rows.h"
#include "cuda/rows.h"
#include "cuda/term.h"
#include "posenc/content/deberta.h"
#include "posenc/content/gated_t5.h"
#include "posenc/content/music_transformer.h"
#include "posenc/content/shaw.h"
#include "posenc/content/transformer_xl.h"

namespace posenc::cuda {

// What says which row is read: the distance, cells of a grid, or segments.
enum class RowKind : uint8_t { distance, grid, segments };

// Which row a query and a key read; the distance is key - query.
struct RowRule {
  RowKind kind = RowKind::distance;
  GridSide side{};
  SegmentRowRule segments{};
  int sign = 1;                                 // of the distance
  int64_t shift = 0;                            // what is added to it
  int64_t low = 0, high = 0;                    // where it then ends; low is row 0
  int64_t least = INT64_MIN, most = INT64_MAX;  // distances beyond read nothing
  const int32_t* rows = nullptr;  // which row each of them is, unless they are the rows

  int64_t count() const { return high - low + 1; }
  __device__ int64_t row(int64_t query, int64_t key) const {  // -1: none
    if (kind == RowKind::grid) return side.row(query, key);
    if (kind == RowKind::segments) return segments.row(query, key);
    const uint64_t d = static_cast<uint64_t>(key) - static_cast<uint64_t>(query);
    const auto distance = static_cast<int64_t>(d);
    if (distance < least || distance > most) return -1;
    const auto moved = static_cast<int64_t>(static_cast<uint64_t>(shift) + (sign < 0 ? 0 - d : d));
    const int64_t n = min(max(moved, low), high) - low;
    return rows ? rows[n] : n;
  }
};

template <class C>
struct Part {
  RowRule rule{};
  bool by_key = false;  // x is of the key
  int64_t ahead = 0;    // x is of the query so many after
  int64_t dim = 0, rows = 0;
  const C* table = nullptr;  // [rows, dim]; null: sinusoids that are made as they are read
  int64_t head_step = 0;     // from the table of a head to that of the next; 0: they share it
  int64_t row_step = 0;      // from a row to the next; 0: dim
  int weight = -1;           // which the table is
  int64_t trained = 0;       // rows of that weight, where the table is resized from it

  __host__ __device__ int64_t step() const { return row_step > 0 ? row_step : dim; }

  // Entry of the row, for a head of the call.
  __device__ C entry(const DeviceRows& sinusoids, int64_t head, int64_t row, int64_t column) const {
    if (table) return table[head * head_step + row * step() + column];
    DevicePlaces at;
    at.first = rule.low + row;
    C out;
    read_row<1>(sinusoids, at, 0, 0, column, &out);
    return out;
  }
};

// What makes gates of lines.
template <class C>
struct GateWeights {
  const C *weight = nullptr, *bias = nullptr;  // [2 gate_rows, dim], [2 gate_rows]
  const C* scale = nullptr;                    // of the heads of the call
  int64_t heads = 0, dim = 0;
  explicit operator bool() const { return weight; }
};
// out [lines, heads] = gates of lines [lines, heads, dim].
template <class C>
void make_gates(const Place& place, const GateWeights<C>& gate, const C* x, int64_t lines, C* out);
// The way back, from dgates [lines, heads]: dx, and [lines, heads, 3], the gradients of both sums
// and of the scale.
template <class C>
void gates_backward(const Place& place, const GateWeights<C>& gate, const C* x, int64_t lines,
                    const C* dgates, C* dx, C* dsums);

// The parts of a scheme, for a call.
template <class C>
struct Lookups {
  Lookups(const Place& place, const TermSource& source, const ScorePlaces& at);

  static constexpr int most = 3;
  Part<C> parts[most];
  int count = 0;
  int64_t heads, dim;       // dim: of queries and keys
  const C* bias = nullptr;  // [heads, dim] added to queries
  size_t bias_weight = 2;   // which it is
  GateWeights<C> gate{};    // through which queries become one number, unless it has none
  // Transformer-XL: what makes rows of sinusoids, [heads, dim, inputs]. Either the table has these
  // rows, or queries are taken through it instead, to meet the sinusoids themselves.
  const C* projection = nullptr;
  int64_t inputs = 0;
  bool projects_queries = false;
  DeviceRows sinusoids{};
  std::optional<Temporary<C>> sinusoid_rows{}, rows{};

  // Whether some part reads keys, or queries.
  bool reads(bool keys) const;
  // Whether queries meet rows as something else, of so many features.
  bool changes_queries() const { return projects_queries || gate; }
  int64_t features() const { return gate ? 1 : projects_queries ? inputs : dim; }
  // Scaled in a line of what queries meet.
  int64_t width() const { return heads * std::max(features(), dim); }

 private:
  void add(const Part<C>& part) { parts[count++] = part; }
  void make(const Place& place, const TermCopy<C>& copy, const Shaw& s, const TermSource& source,
            const ScorePlaces& at);
  void make(const Place& place, const TermCopy<C>& copy, const MusicTransformer& s,
            const TermSource& source, const ScorePlaces& at);
  void make(const Place& place, const TermCopy<C>& copy, const TransformerXl& s,
            const TermSource& source, const ScorePlaces& at);
  void make(const Place& place, const TermCopy<C>& copy, const Deberta& s, const TermSource& source,
            const ScorePlaces& at);
  void make(const Place& place, const TermCopy<C>& copy, const Decomposed& s,
            const TermSource& source, const ScorePlaces& at);
  void make(const Place& place, const TermCopy<C>& copy, const Segments& s,
            const TermSource& source, const ScorePlaces& at);
  void make(const Place& place, const TermCopy<C>& copy, const GatedT5& s, const TermSource& source,
            const ScorePlaces& at);
  void make_rows(const Place& place, const TermCopy<C>& copy, Part<C>& part, int64_t pairs);
};

// out = after * (before * scores + parts) for `lines` queries from line `first` on, whose x is
// `queries`; x of all keys is `keys`.
template <class C>
struct AddLookups {
  ScoreGrid grid;
  int64_t first = 0, lines = 0;
  Scaled<C> scores{}, out{};  // before is the factor of scores
  C after = 1;
  const C *queries = nullptr, *keys = nullptr;
  Part<C> parts[Lookups<C>::most] = {};
  int count = 0;
  DeviceRows sinusoids{};
};
template <class C>
void launch_add(const Place& place, const AddLookups<C>& call);

// The same for all lines, of the queries q and the keys k.
template <class C>
void add_term(const Place& place, const Lookups<C>& t, const ScoreGrid& grid, const Tensor& q,
              const Tensor& k, const Scaled<C>& scores, const Tensor& out, double after);

// What lines of one part receive from the scores: `g` is their gradient.
template <class C>
struct LineLookups {
  ScoreGrid grid;
  int64_t first = 0, lines = 0;
  Scaled<C> g{};
  Part<C> part{};
  DeviceRows sinusoids{};
  C* out = nullptr;
};
// out [lines, heads, dim] += sums of g times rows.
template <class C>
void launch_mix(const Place& place, const LineLookups<C>& call);
// out [lines, heads, rows] += sums of the g that read each row.
template <class C>
void launch_shares(const Place& place, const LineLookups<C>& call);

}  // namespace posenc::cuda
