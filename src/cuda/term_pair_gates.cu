// term_pair_gates.cu: sums of the gates that each query sets for itself.
#include "cuda/term.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 256;

// Some lines of queries.
template <class C>
struct RowGates {
  ScoreGrid grid;
  int64_t first = 0, lines = 0, dim = 0;
  PairGates form{};
  const C *q = nullptr, *k = nullptr;  // [lines, heads, dim] and [rows * keys, heads, dim]
  double* sums = nullptr;              // [lines, heads, keys]: terms, or gradients of products
  C *dq = nullptr, *dk = nullptr;      // as q and k
  Scaled<C> scores{}, out{}, g{};
  C after = 1;

  // The query that a block, or a thread, takes: line and head.
  __device__ ScoreIndex query(int64_t n) const {
    const Divided head = divided(n, grid.heads),
                  token = divided(first + head.quotient, grid.queries);
    return {token.quotient, head.rest, token.rest, 0};
  }
  __device__ int64_t line(const ScoreIndex& s) const {
    return (s.row * grid.queries + s.i - first) * grid.heads + s.head;
  }
  __device__ int64_t key_line(const ScoreIndex& s) const {
    return (s.row * grid.keys + s.j) * grid.heads + s.head;
  }
  __device__ bool has_gate(const ScoreIndex& s) const {
    return PairGates::has_gate(grid.query_at(s.row, s.i), grid.key_at(s.row, s.j));
  }
  __device__ double product(const ScoreIndex& s) const {
    const C *x = q + line(s) * dim, *y = k + key_line(s) * dim;
    C sum = 0;
    for (int64_t f = 0; f < dim; ++f) sum += x[f] * y[f];
    return static_cast<double>(sum);
  }
};

// The sums of gates from each key on, by a block for each query.
template <class C>
__global__ void sum_row_gates(const __grid_constant__ RowGates<C> c) {
  ScoreIndex s = c.query(blockIdx.x);
  sum_from_each_key(c.grid.keys, c.sums + blockIdx.x * c.grid.keys, [&](int64_t j) {
    s.j = j;
    return c.has_gate(s) ? c.form.log_gate(c.product(s)) : 0;
  });
}

template <class C>
__global__ void add_row_sums(const __grid_constant__ RowGates<C> c) {
  const int64_t n = thread_index();
  if (n >= c.grid.heads * c.lines * c.grid.keys) return;
  const ScoreIndex s = score_index(c.grid, n, c.first, c.lines);
  if (c.grid.hides(s.row, s.i, s.j)) return c.out.write(c.out.at(s), minus_infinity<C>());
  const auto term = static_cast<C>(c.sums[c.line(s) * c.grid.keys + s.j]);
  c.out.write(c.out.at(s), c.after * (c.scores.read(c.scores.at(s)) + term));
}

// The gradients of products: a gate is in the term of its own key and of all before it.
template <class C>
__global__ void row_gates_backward(const __grid_constant__ RowGates<C> c) {
  ScoreIndex s = c.query(blockIdx.x);
  double* dlogits = c.sums + blockIdx.x * c.grid.keys;
  const ThreadPiece mine = piece_of_thread(c.grid.keys);
  const auto told = [&] {
    return c.grid.hides(s.row, s.i, s.j) ? 0.0 : static_cast<double>(c.g.read(c.g.at(s)));
  };
  double sum = 0;
  for (s.j = mine.first; s.j < mine.end; ++s.j) sum += told();
  sum = sum_before(sum);
  for (s.j = mine.first; s.j < mine.end; ++s.j) {
    sum += told();
    dlogits[s.j] = c.has_gate(s) ? sum * c.form.slope(c.product(s)) : 0.0;
  }
}

template <class C>
__global__ void add_dq(const __grid_constant__ RowGates<C> c) {
  const int64_t n = thread_index();
  if (n >= c.lines * c.grid.heads * c.dim) return;
  const Divided at = divided(n, c.dim);
  ScoreIndex s = c.query(at.quotient);
  double sum = 0;
  for (; s.j < c.grid.keys; ++s.j)
    sum += c.sums[at.quotient * c.grid.keys + s.j] *
           static_cast<double>(c.k[c.key_line(s) * c.dim + at.rest]);
  c.dq[n] = static_cast<C>(sum);
}

template <class C>
__global__ void add_dk(const __grid_constant__ RowGates<C> c) {
  const int64_t n = thread_index();
  if (n >= c.grid.rows * c.grid.keys * c.grid.heads * c.dim) return;
  const Divided at = divided(n, c.dim), head = divided(at.quotient, c.grid.heads),
                key = divided(head.quotient, c.grid.keys);
  ScoreIndex s{key.quotient, head.rest, 0, key.rest};
  double sum = 0;
  for (; s.i < c.grid.queries; ++s.i) {
    const int64_t token = s.row * c.grid.queries + s.i;
    if (token < c.first || token >= c.first + c.lines) continue;
    sum += c.sums[c.line(s) * c.grid.keys + s.j] *
           static_cast<double>(c.q[c.line(s) * c.dim + at.rest]);
  }
  c.dk[n] += static_cast<C>(sum);
}

// f(call) for some lines of queries after others, with their q and room for sums.
template <class C, class F>
void each_call(const DeviceStream& stream, const PairGates& s, const TermSource& source,
               const ScorePlaces& at, const F& f) {
  RowGates<C> call{ScoreGrid(at, source.heads)};
  const int64_t heads = source.heads, keys = call.grid.keys, all_keys = call.grid.rows * keys;
  call.dim = s.dim, call.form = s;
  call.after = static_cast<C>(source.after);
  const Temporary<C> k(stream, all_keys * heads * s.dim);
  gather<C>(stream, source.k, 0, all_keys, nullptr, k.data());
  call.k = k.data();
  each_piece(call.grid.rows * call.grid.queries, std::max(keys, s.dim) * heads,
             [&](int64_t first, int64_t count) {
               const Temporary<C> q(stream, count * heads * s.dim);
               const Temporary<double> sums(stream, count * heads * keys);
               gather<C>(stream, source.q, first, count, nullptr, q.data());
               call.first = first, call.lines = count, call.q = q.data(), call.sums = sums.data();
               f(call);
             });
}

}  // namespace

template <class C>
void add_term(const DeviceStream& stream, const PairGates& s, const AddTermOrder& order) {
  each_call<C>(stream, s, order.term, order.at, [&](RowGates<C> c) {
    c.scores = Scaled<C>(order.scores, order.term.before), c.out = Scaled<C>(order.out, 1);
    launch(stream, "sums of gates", scan_shape(c.lines * c.grid.heads, c.grid.keys),
           sum_row_gates<C>, c);
    launch(stream, "scores with a term", shape_of(c.grid.heads * c.lines * c.grid.keys, threads),
           add_row_sums<C>, c);
  });
}

template <class C>
void term_backward(const DeviceStream& stream, const PairGates& s, const TermGradientOrder& order) {
  const ScoreGrid grid(order.at, order.term.heads);
  const Scaled<C> g(order.dout, order.term.after);
  if (order.dscores.rank > 0) add_scores(stream, grid, g, {order.dscores, order.term.before});
  if (order.dq.rank == 0 && order.dk.rank == 0) return;
  const int64_t all_keys = grid.rows * grid.keys, numbers = all_keys * grid.heads * s.dim;
  const Temporary<C> dk(stream, numbers);
  clear(stream, dk, numbers);
  each_call<C>(stream, s, order.term, order.at, [&](RowGates<C> c) {
    const int64_t lines = c.lines * c.grid.heads;
    const Temporary<C> dq(stream, lines * s.dim);
    c.g = g, c.dq = dq.data(), c.dk = dk.data();
    launch(stream, "gradients of gates", scan_shape(lines, grid.keys), row_gates_backward<C>, c);
    if (order.dq.rank > 0) {
      launch(stream, "gradients of queries", shape_of(lines * s.dim, threads), add_dq<C>, c);
      add_lines<C>(stream, dq.data(), c.first, c.lines, order.dq);
    }
    if (order.dk.rank > 0)
      launch(stream, "gradients of keys", shape_of(numbers, threads), add_dk<C>, c);
  });
  if (order.dk.rank > 0) add_lines<C>(stream, dk.data(), 0, all_keys, order.dk);
}

#define POSENC_PAIR_GATES(C)                                                             \
  template void add_term<C>(const DeviceStream&, const PairGates&, const AddTermOrder&); \
  template void term_backward<C>(const DeviceStream&, const PairGates&, const TermGradientOrder&);
POSENC_PAIR_GATES(float)
POSENC_PAIR_GATES(double)
#undef POSENC_PAIR_GATES

}  // namespace posenc::cuda
