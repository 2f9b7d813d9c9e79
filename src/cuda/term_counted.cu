// term_counted.cu: gates, the positions they count, and the table read there.
#include "cuda/products.h"
#include "cuda/term.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 256;

// Some lines of queries.
template <class C>
struct CountedCall {
  ScoreGrid grid;
  int64_t first = 0, lines = 0, positions = 0;
  CountedRows rows{};
  double factor = 1;          // of what gates read
  Scaled<C> scores{}, out{};  // before is the factor of scores; out: dscores in the gradient
  C after = 1;
  Scaled<C> g{};             // the gradient of the result
  const C* z = nullptr;      // [lines, heads, positions]: queries times the table
  double* places = nullptr;  // [lines, heads, keys]: where each key reads it
  double* dz = nullptr;

  __device__ double gate(int64_t at) const {
    return CountedRows::gate(static_cast<double>(scores.read(at)), factor);
  }
  // The query that a block, or a thread, takes: line and head.
  __device__ ScoreIndex query(int64_t n) const {
    const Divided head = divided(n, grid.heads),
                  token = divided(first + head.quotient, grid.queries);
    return {token.quotient, head.rest, token.rest, 0};
  }
};

// The sums of gates from each key on, by a block for each query.
template <class C>
__global__ void sum_gates(const __grid_constant__ CountedCall<C> c) {
  ScoreIndex s = c.query(blockIdx.x);
  sum_from_each_key(c.grid.keys, c.places + blockIdx.x * c.grid.keys, [&](int64_t j) {
    s.j = j;
    return c.grid.hides(s.row, s.i, j) ? 0 : c.gate(c.scores.at(s));
  });
}

template <class C>
__global__ void add_read(const __grid_constant__ CountedCall<C> c) {
  const int64_t n = thread_index();
  if (n >= c.grid.heads * c.lines * c.grid.keys) return;
  const ScoreIndex s = score_index(c.grid, n, c.first, c.lines);
  if (c.grid.hides(s.row, s.i, s.j)) return c.out.write(c.out.at(s), minus_infinity<C>());
  const int64_t line = (s.row * c.grid.queries + s.i - c.first) * c.grid.heads + s.head;
  const C* z = c.z + line * c.positions;
  C term = 0;
  c.rows.each(c.places[line * c.grid.keys + s.j],
              [&](int64_t row, double w, double) { term += static_cast<C>(w) * z[row]; });
  c.out.write(c.out.at(s), c.after * (c.scores.read(c.scores.at(s)) + term));
}

// The gradient of z, by a thread for each query; keys beyond the last row read it alike.
template <class C>
__global__ void read_backward(const __grid_constant__ CountedCall<C> c) {
  const int64_t n = thread_index();
  if (n >= c.lines * c.grid.heads) return;
  ScoreIndex s = c.query(n);
  double *dz = c.dz + n * c.positions, beyond = 0;
  for (s.j = c.grid.keys - 1; s.j >= 0; --s.j) {
    if (c.grid.hides(s.row, s.i, s.j)) continue;
    const double p = c.places[n * c.grid.keys + s.j];
    const auto g = static_cast<double>(c.g.read(c.g.at(s)));
    if (c.rows.is_inside(p)) {
      c.rows.each(p, [&](int64_t row, double w, double) { dz[row] += w * g; });
    } else {
      beyond += g;
    }
  }
  c.rows.each(static_cast<double>(c.positions - 1),
              [&](int64_t row, double w, double) { dz[row] += w * beyond; });
}

// The gradient of the scores: a gate moves the position of its own key and of all before it.
template <class C>
__global__ void gates_backward(const __grid_constant__ CountedCall<C> c) {
  ScoreIndex s = c.query(blockIdx.x);
  const double* places = c.places + blockIdx.x * c.grid.keys;
  const C* z = c.z + blockIdx.x * c.positions;
  const ThreadPiece mine = piece_of_thread(c.grid.keys);
  const auto dplace = [&](C g) {
    if (!c.rows.is_inside(places[s.j])) return 0.0;
    double slope = 0;
    c.rows.each(places[s.j], [&](int64_t row, double, double by_p) {
      slope += by_p * static_cast<double>(z[row]);
    });
    return static_cast<double>(g) * slope;
  };
  double sum = 0;
  for (s.j = mine.first; s.j < mine.end; ++s.j)
    if (!c.grid.hides(s.row, s.i, s.j)) sum += dplace(c.g.read(c.g.at(s)));
  double dgate = sum_before(sum);
  for (s.j = mine.first; s.j < mine.end; ++s.j) {
    if (c.grid.hides(s.row, s.i, s.j)) continue;
    const C g = c.g.read(c.g.at(s));
    const double gate = c.gate(c.scores.at(s));
    dgate += dplace(g);
    c.out.add(c.out.at(s), g + static_cast<C>(dgate * c.factor * gate * (1 - gate)));
  }
}

// f(call, queries of its lines, table) for some lines after others, with z and places.
template <class C, class F>
void each_call(const DeviceStream& stream, const CountedRows& s, const TermSource& source,
               CountedCall<C> call, const F& f) {
  const C* table = copy_of<C>(stream, source.plan.parts()).weight(0);
  const int64_t heads = call.grid.heads, keys = call.grid.keys;
  const int64_t most = std::max({keys, s.positions, s.dim}) * heads;
  each_piece(call.grid.rows * call.grid.queries, most, [&](int64_t first, int64_t count) {
    const int64_t lines = count * heads;
    const Temporary<C> x(stream, lines * s.dim), z(stream, lines * s.positions);
    const Temporary<double> places(stream, lines * keys);
    gather<C>(stream, source.q, first, count, nullptr, x.data());
    multiply<C, C, C>(stream, {1, lines, s.positions, s.dim}, {x.data(), 0, s.dim, 1},
                      {table, 0, 1, s.dim}, {z.data(), 0, s.positions, 1});
    call.first = first, call.lines = count, call.z = z.data(), call.places = places.data();
    launch(stream, "sums of gates", scan_shape(lines, keys), sum_gates<C>, call);
    f(call, x.data(), table);
  });
}

template <class C>
CountedCall<C> call_of(const CountedRows& s, const TermSource& source, const ScorePlaces& at,
                       const Tensor& scores, const Scaled<C>& out) {
  CountedCall<C> c{ScoreGrid(at, source.heads)};
  c.positions = s.positions, c.rows = s, c.factor = s.gate_factor(source.after);
  c.scores = Scaled<C>(scores, source.before), c.out = out;
  c.after = static_cast<C>(source.after);
  return c;
}

}  // namespace

template <class C>
void add_term(const DeviceStream& stream, const CountedRows& s, const AddTermOrder& order) {
  const auto call = call_of<C>(s, order.term, order.at, order.scores, {order.out, 1});
  each_call(stream, s, order.term, call, [&](const CountedCall<C>& c, const C*, const C*) {
    launch(stream, "scores with a term", shape_of(c.grid.heads * c.lines * c.grid.keys, threads),
           add_read<C>, c);
  });
}

template <class C>
void term_backward(const DeviceStream& stream, const CountedRows& s,
                   const TermGradientOrder& order) {
  auto call = call_of<C>(s, order.term, order.at, order.scores, {order.dscores, order.term.before});
  call.g = {order.dout, order.term.after};
  const WeightSums sums(stream, order.dweights);
  each_call(stream, s, order.term, call, [&](CountedCall<C> c, const C* x, const C* table) {
    const int64_t lines = c.lines * c.grid.heads;
    if (c.out)
      launch(stream, "gradients of gates", scan_shape(lines, c.grid.keys), gates_backward<C>, c);
    if (order.dq.rank == 0 && !sums) return;
    const Temporary<double> dz(stream, lines * s.positions);
    const Temporary<C> dx(stream, lines * s.dim);
    clear(stream, dz, lines * s.positions);
    c.dz = dz.data();
    launch(stream, "gradients of positions", shape_of(lines, threads / 4), read_backward<C>, c);
    multiply<double, C, C>(stream, {1, lines, s.dim, s.positions}, {dz.data(), 0, s.positions, 1},
                           {table, 0, s.dim, 1}, {dx.data(), 0, s.dim, 1});
    if (order.dq.rank > 0) add_lines<C>(stream, dx.data(), c.first, c.lines, order.dq);
    if (sums)
      multiply<double, C, double>(stream, {1, s.positions, s.dim, lines},
                                  {dz.data(), 0, 1, s.positions}, {x, 0, s.dim, 1},
                                  {sums.of(0), 0, s.dim, 1}, true);
  });
  sums.add();
}

#define POSENC_COUNTED(C)                                                                  \
  template void add_term<C>(const DeviceStream&, const CountedRows&, const AddTermOrder&); \
  template void term_backward<C>(const DeviceStream&, const CountedRows&, const TermGradientOrder&);
POSENC_COUNTED(float)
POSENC_COUNTED(double)
#undef POSENC_COUNTED

}  // namespace posenc::cuda
