// term_key_gates.cu: sums of forget gates between keys and queries.
#include "cuda/term.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 256;

template <class C>
struct KeyGatesCall {
  ScoreGrid grid;
  View gates{};
  KeyGates form{};
  int64_t* last = nullptr;  // [rows, queries]: the last key at or before a query, or -1
  double* sums = nullptr;   // [rows, heads, keys + 1]: of the gates before each key, and of all
  double* lines = nullptr;  // [rows, heads, queries]: sums of a query's gradients
  Scaled<C> g{};            // the gradient of the result
  View dgates{};

  __device__ double gate(int64_t row, int64_t head, int64_t j) const {
    const int64_t at = gates.offset(row) + j * gates.last[0] + head * gates.last[1];
    return static_cast<double>(read_as<C>(gates.dtype, gates.data, at));
  }
  // Whether the term of a query whose last key this is reaches a key.
  __device__ bool reaches(int64_t key, int64_t j) const {
    return j >= form.first(key) && j < form.end(key, grid.keys);
  }
};

// Keys are in the order of their positions.
template <class C>
__global__ void find_last_keys(const __grid_constant__ KeyGatesCall<C> c) {
  const int64_t n = thread_index();
  if (n >= c.grid.rows * c.grid.queries) return;
  const Divided at = divided(n, c.grid.queries);
  const double position = c.grid.query_at(at.quotient, at.rest);
  int64_t low = 0, high = c.grid.keys;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (c.grid.key_at(at.quotient, middle) <= position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  c.last[n] = low - 1;
}

// A block for each head of a row.
template <class C>
__global__ void sum_gates(const __grid_constant__ KeyGatesCall<C> c) {
  const Divided head = divided(blockIdx.x, c.grid.heads);
  double* sums = c.sums + blockIdx.x * (c.grid.keys + 1);
  const ThreadPiece mine = piece_of_thread(c.grid.keys);
  double sum = 0;
  for (int64_t j = mine.first; j < mine.end; ++j)
    sums[j + 1] = sum += c.form.log_gate(c.gate(head.quotient, head.rest, j));
  const double before = sum_before(sum);
  for (int64_t j = mine.first; j < mine.end; ++j) sums[j + 1] += before;
  if (threadIdx.x == 0) sums[0] = 0;
}

template <class C>
__global__ void add_sums(const __grid_constant__ KeyGatesCall<C> c,
                         const __grid_constant__ Scaled<C> scores,
                         const __grid_constant__ Scaled<C> out, C after) {
  const int64_t n = thread_index(), lines = c.grid.rows * c.grid.queries;
  if (n >= lines * c.grid.heads * c.grid.keys) return;
  const ScoreIndex s = score_index(c.grid, n, 0, lines);
  if (c.grid.hides(s.row, s.i, s.j)) return out.write(out.at(s), minus_infinity<C>());
  const double* sums = c.sums + (s.row * c.grid.heads + s.head) * (c.grid.keys + 1) + 1;
  const int64_t key = c.last[s.row * c.grid.queries + s.i];
  C sum = scores.read(scores.at(s));
  if (c.reaches(key, s.j)) sum += static_cast<C>(c.form.sign() * (sums[key] - sums[s.j]));
  out.write(out.at(s), after * sum);
}

// ---- gradients: sums[key of i] += g, sums[j] -= g for every pair the term reaches ---------------

template <class C>
__global__ void sum_lines(const __grid_constant__ KeyGatesCall<C> c) {
  const int64_t n = thread_index();
  if (n >= c.grid.rows * c.grid.heads * c.grid.queries) return;
  const Divided query = divided(n, c.grid.queries), head = divided(query.quotient, c.grid.heads);
  const int64_t row = head.quotient, key = c.last[row * c.grid.queries + query.rest];
  double sum = 0;
  for (int64_t j = c.form.first(key); j < c.form.end(key, c.grid.keys); ++j)
    if (!c.grid.hides(row, query.rest, j))
      sum += static_cast<double>(c.g.read(c.g.at(row, head.rest, query.rest, j)));
  c.lines[n] = sum;
}

// A thread takes a key.
template <class C>
__global__ void sum_keys(const __grid_constant__ KeyGatesCall<C> c) {
  const int64_t n = thread_index();
  if (n >= c.grid.rows * c.grid.heads * c.grid.keys) return;
  const Divided key = divided(n, c.grid.keys), head = divided(key.quotient, c.grid.heads);
  const int64_t row = head.quotient, j = key.rest;
  double sum = 0;
  for (int64_t i = 0; i < c.grid.queries; ++i) {
    const int64_t last = c.last[row * c.grid.queries + i];
    if (last == j) sum += c.lines[key.quotient * c.grid.queries + i];
    if (c.reaches(last, j) && !c.grid.hides(row, i, j))
      sum -= static_cast<double>(c.g.read(c.g.at(row, head.rest, i, j)));
  }
  c.sums[n] = c.form.sign() * sum;
}

// A gate is in the sums of its own key and of all after it.
template <class C>
__global__ void add_gates(const __grid_constant__ KeyGatesCall<C> c) {
  const Divided head = divided(blockIdx.x, c.grid.heads);
  const double* sums = c.sums + blockIdx.x * c.grid.keys;
  const int64_t last = c.grid.keys - 1;
  const ThreadPiece mine = piece_of_thread(c.grid.keys);  // counted from the last key
  double sum = 0;
  for (int64_t n = mine.first; n < mine.end; ++n) sum += sums[last - n];
  sum = sum_before(sum);
  for (int64_t n = mine.first; n < mine.end; ++n) {
    const int64_t j = last - n;
    sum += sums[j];
    C* to = c.dgates.template at<C>(head.quotient) + j * c.dgates.last[0] +
            head.rest * c.dgates.last[1];
    *to += static_cast<C>(sum * c.form.slope(c.gate(head.quotient, head.rest, j)));
  }
}

template <class C>
KeyGatesCall<C> call_of(const KeyGates& form, const TermSource& source, const ScorePlaces& at,
                        int64_t* last, double* sums) {
  KeyGatesCall<C> c{ScoreGrid(at, source.heads)};
  c.gates = View(source.gates, 2), c.form = form;
  c.last = last, c.sums = sums;
  return c;
}

}  // namespace

template <class C>
void add_term(const DeviceStream& stream, const KeyGates& form, const AddTermOrder& order) {
  const int64_t lines = order.at.rows * order.at.queries.tokens;
  const int64_t heads = order.at.rows * order.term.heads;
  const Temporary<int64_t> last(stream, lines);
  const Temporary<double> sums(stream, heads * (order.at.keys.tokens + 1));
  const auto call = call_of<C>(form, order.term, order.at, last.data(), sums.data());
  launch(stream, "keys of queries", shape_of(lines, threads), find_last_keys<C>, call);
  launch(stream, "sums of gates", scan_shape(heads, order.at.keys.tokens), sum_gates<C>, call);
  launch(stream, "scores with a term", shape_of(call.grid.scores(), threads), add_sums<C>, call,
         Scaled<C>(order.scores, order.term.before), Scaled<C>(order.out, 1),
         static_cast<C>(order.term.after));
}

template <class C>
void term_backward(const DeviceStream& stream, const KeyGates& form,
                   const TermGradientOrder& order) {
  const ScoreGrid grid(order.at, order.term.heads);
  const Scaled<C> g(order.dout, order.term.after);
  if (order.dscores.rank > 0) add_scores(stream, grid, g, {order.dscores, order.term.before});
  if (order.dgates.rank == 0) return;
  const int64_t lines = grid.rows * grid.queries, heads = grid.rows * grid.heads;
  const Temporary<int64_t> last(stream, lines);
  const Temporary<double> sums(stream, heads * grid.keys), by_line(stream, heads * grid.queries);
  auto call = call_of<C>(form, order.term, order.at, last.data(), sums.data());
  call.lines = by_line.data(), call.g = g, call.dgates = View(order.dgates, 2);
  launch(stream, "keys of queries", shape_of(lines, threads), find_last_keys<C>, call);
  launch(stream, "sums of queries", shape_of(heads * grid.queries, threads / 4), sum_lines<C>,
         call);
  launch(stream, "sums of keys", shape_of(heads * grid.keys, threads / 4), sum_keys<C>, call);
  launch(stream, "gradients of gates", scan_shape(heads, grid.keys), add_gates<C>, call);
}

#define POSENC_KEY_GATES(C)                                                             \
  template void add_term<C>(const DeviceStream&, const KeyGates&, const AddTermOrder&); \
  template void term_backward<C>(const DeviceStream&, const KeyGates&, const TermGradientOrder&);
POSENC_KEY_GATES(float)
POSENC_KEY_GATES(double)
#undef POSENC_KEY_GATES

}  // namespace posenc::cuda
