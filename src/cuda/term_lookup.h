// term_lookup.h: terms x . table[row], where x is a query or a key, and the places of both say
// which row: content/forms/lookups.h on a device.
#pragma once

#include <optional>

#include "cuda/rows.h"
#include "cuda/term.h"

namespace posenc::cuda {

// A part for the heads of a call.
template <class C>
struct DeviceLookupPart : LookupPart {
  const C* table = nullptr;  // null: sinusoids that are made as they are read

  // Entry of the row, for a head of the call.
  __device__ C entry(const DeviceRows& sinusoids, int64_t head, int64_t row, int64_t column) const {
    if (table) return table[head * head_step + row * row_step + column];
    DevicePlaces at;
    at.first = rule.distance.low + row;
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
  size_t first_weight = 0;  // which the first of them is
  explicit operator bool() const { return weight; }
};
// out [lines, heads] = gates of lines [lines, heads, dim].
template <class C>
void make_gates(const DeviceStream& stream, const GateWeights<C>& gate, const C* x, int64_t lines,
                C* out);
// The way back, from dgates [lines, heads]: dx, and [lines, heads, 3], the gradients of both sums
// and of the scale.
template <class C>
void gates_backward(const DeviceStream& stream, const GateWeights<C>& gate, const C* x,
                    int64_t lines, const C* dgates, C* dx, C* dsums);

// The parts of a form, for a call.
template <class C>
struct TermLookups {
  TermLookups(const DeviceStream& stream, const RowLookups& form, const TermSource& source,
              const ScorePlaces& at);

  static constexpr int most = RowLookups::most;
  DeviceLookupPart<C> parts[most];
  int count = 0;
  int64_t heads, dim;       // dim: of queries and keys
  const C* bias = nullptr;  // [heads, dim] added to queries
  size_t bias_weight = 0;   // which it is
  GateWeights<C> gate{};    // through which queries become one number, unless it has none
  // What makes rows of sinusoids, [heads, dim, inputs]. Either the table has these
  // rows, or queries are taken through it instead, to meet the sinusoids themselves.
  const C* projection = nullptr;
  size_t projection_weight = 0;  // which it is
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
  void project(const DeviceStream& stream, const RowSource& source, const ScorePlaces& at);
  void make_rows(const DeviceStream& stream, const RowSource& source, DeviceLookupPart<C>& part,
                 int64_t pairs);
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
  DeviceLookupPart<C> parts[TermLookups<C>::most] = {};
  int count = 0;
  DeviceRows sinusoids{};
};
template <class C>
void launch_add(const DeviceStream& stream, const AddLookups<C>& call);

// The same for all lines, of the queries q and the keys k.
template <class C>
void add_parts(const DeviceStream& stream, const TermLookups<C>& t, const ScoreGrid& grid,
               const Tensor& q, const Tensor& k, const Scaled<C>& scores, const Tensor& out,
               double after);

// What lines of one part receive from the scores: `g` is their gradient.
template <class C>
struct LineLookups {
  ScoreGrid grid;
  int64_t first = 0, lines = 0;
  Scaled<C> g{};
  DeviceLookupPart<C> part{};
  DeviceRows sinusoids{};
  C* out = nullptr;
};
// out [lines, heads, dim] += sums of g times rows.
template <class C>
void launch_mix(const DeviceStream& stream, const LineLookups<C>& call);
// out [lines, heads, rows] += sums of the g that read each row.
template <class C>
void launch_shares(const DeviceStream& stream, const LineLookups<C>& call);

}  // namespace posenc::cuda
