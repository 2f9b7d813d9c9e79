// term_lookup.cu: products with rows that distances name, and their gradients.
#include "cuda/term_lookup.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 256;

// A thread takes a score.
template <class C>
__global__ void add_products(const __grid_constant__ AddLookups<C> c) {
  const int64_t n = thread_index();
  const ScoreGrid& grid = c.grid;
  if (n >= grid.heads * c.lines * grid.keys) return;
  const ScoreIndex s = score_index(grid, n, c.first, c.lines);
  const int64_t to = c.out.at(s);
  if (grid.hides(s.row, s.i, s.j)) return c.out.write(to, minus_infinity<C>());
  const int64_t query = grid.query_place(s.row, s.i), key = grid.key_place(s.row, s.j);
  C sum = c.scores.read(c.scores.at(s));
  for (int p = 0; p < c.count; ++p) {
    const DeviceLookupPart<C>& part = c.parts[p];
    const int64_t row = part.rule.row(query, key);
    if (row < 0 || s.i + part.ahead >= grid.queries) continue;
    const int64_t line =
        part.by_key ? s.row * grid.keys + s.j : s.row * grid.queries + s.i + part.ahead - c.first;
    const C* x = (part.by_key ? c.keys : c.queries) + (line * grid.heads + s.head) * part.dim;
    C product = 0;
    for (int64_t f = 0; f < part.dim; ++f)
      product += x[f] * part.entry(c.sinusoids, s.head, row, f);
    sum += product;
  }
  c.out.write(to, c.after * sum);
}

// Where a line's scores lie, one for each token on the other side.
template <class C>
struct LineWalk {
  int64_t row, token, others;
  bool exists;

  __device__ LineWalk(const LineLookups<C>& c, int64_t line) {
    const Divided at = divided(c.first + line, c.part.by_key ? c.grid.keys : c.grid.queries);
    row = at.quotient, token = at.rest - c.part.ahead, exists = token >= 0;
    others = c.part.by_key ? c.grid.queries : c.grid.keys;
  }
  // f(row of the table, gradient) for each score that reads one.
  template <class F>
  __device__ void each(const LineLookups<C>& c, int64_t head, const F& f) const {
    if (!exists) return;
    for (int64_t other = 0; other < others; ++other) {
      const int64_t i = c.part.by_key ? other : token, j = c.part.by_key ? token : other;
      if (c.grid.hides(row, i, j)) continue;
      const int64_t which = c.part.rule.row(c.grid.query_place(row, i), c.grid.key_place(row, j));
      if (which >= 0) f(which, c.g.read(c.g.at(row, head, i, j)));
    }
  }
};

// A thread takes a number of a line.
template <class C>
__global__ void mix_lines(const __grid_constant__ LineLookups<C> c) {
  const int64_t n = thread_index();
  if (n >= c.lines * c.grid.heads * c.part.dim) return;
  const Divided column = divided(n, c.part.dim), head = divided(column.quotient, c.grid.heads);
  C sum = 0;
  LineWalk<C>(c, head.quotient).each(c, head.rest, [&](int64_t row, C g) {
    sum += g * c.part.entry(c.sinusoids, head.rest, row, column.rest);
  });
  c.out[n] += sum;
}

// A thread takes a line of a head. Scores that follow one another often read the same row.
template <class C>
__global__ void share_lines(const __grid_constant__ LineLookups<C> c) {
  const int64_t n = thread_index();
  if (n >= c.lines * c.grid.heads) return;
  const Divided head = divided(n, c.grid.heads);
  C* out = c.out + n * c.part.rows;
  int64_t now = 0;
  double sum = 0;
  LineWalk<C>(c, head.quotient).each(c, head.rest, [&](int64_t row, C g) {
    if (row != now) out[now] += static_cast<C>(sum), now = row, sum = 0;
    sum += static_cast<double>(g);
  });
  out[now] += static_cast<C>(sum);
}

}  // namespace

template <class C>
void launch_add(const DeviceStream& stream, const AddLookups<C>& c) {
  launch(stream, "scores with a term", shape_of(c.grid.heads * c.lines * c.grid.keys, threads),
         add_products<C>, c);
}
template <class C>
void launch_mix(const DeviceStream& stream, const LineLookups<C>& c) {
  launch(stream, "values of a term", shape_of(c.lines * c.grid.heads * c.part.dim, threads),
         mix_lines<C>, c);
}
template <class C>
void launch_shares(const DeviceStream& stream, const LineLookups<C>& c) {
  launch(stream, "shares of rows", shape_of(c.lines * c.grid.heads, threads / 4), share_lines<C>,
         c);
}

#define POSENC_LOOKUP(C)                                                \
  template void launch_add(const DeviceStream&, const AddLookups<C>&);  \
  template void launch_mix(const DeviceStream&, const LineLookups<C>&); \
  template void launch_shares(const DeviceStream&, const LineLookups<C>&);
POSENC_LOOKUP(float)
POSENC_LOOKUP(double)
#undef POSENC_LOOKUP

}  // namespace posenc::cuda
