// term_decay.cu: scores times a kernel of the distance.
#include "cuda/term.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 256;

template <class C>
struct DecayCall {
  ScoreGrid grid;
  const C *a = nullptr, *p = nullptr;  // of the first of these heads
  ScoreDecay form{};
  Scaled<C> scores{}, out{}, g{};  // out: dscores in the gradient
  C after = 1;
  double* sums = nullptr;  // [heads, rows * queries, 2]

  __device__ DecayKernel decay(int64_t head) const {
    return form.kernel(static_cast<double>(a[head]), static_cast<double>(p[head]));
  }
  __device__ double distance(const ScoreIndex& s) const {
    const double r = grid.key_at(s.row, s.j) - grid.query_at(s.row, s.i);
    return r < 0 ? -r : r;
  }
  __device__ C times(const ScoreIndex& s, C x) const {
    return static_cast<C>(static_cast<double>(x) * decay(s.head).at(distance(s)));
  }
};

template <class C>
__global__ void multiply_scores(const __grid_constant__ DecayCall<C> c) {
  const int64_t n = thread_index();
  if (n >= c.grid.scores()) return;
  const ScoreIndex s = score_index(c.grid, n, 0, c.grid.rows * c.grid.queries);
  if (c.grid.hides(s.row, s.i, s.j)) return c.out.write(c.out.at(s), minus_infinity<C>());
  c.out.write(c.out.at(s), c.after * c.times(s, c.scores.read(c.scores.at(s))));
}

template <class C>
__global__ void add_dscores(const __grid_constant__ DecayCall<C> c) {
  const int64_t n = thread_index();
  if (n >= c.grid.scores()) return;
  const ScoreIndex s = score_index(c.grid, n, 0, c.grid.rows * c.grid.queries);
  if (c.grid.hides(s.row, s.i, s.j)) return;
  c.out.add(c.out.at(s), c.times(s, c.g.read(c.g.at(s))));
}

// What the scores of a query say about a and p, by a thread for each query of a head.
template <class C>
__global__ void sum_queries(const __grid_constant__ DecayCall<C> c) {
  const int64_t n = thread_index(), lines = c.grid.rows * c.grid.queries;
  if (n >= c.grid.heads * lines) return;
  const Divided head = divided(n, lines), query = divided(head.rest, c.grid.queries);
  ScoreIndex s{query.quotient, head.quotient, query.rest, 0};
  const DecayKernel decay = c.decay(s.head);
  double da = 0, dp = 0;
  for (; s.j < c.grid.keys; ++s.j) {
    const auto g = static_cast<double>(c.g.read(c.g.at(s)));
    if (g == 0 || c.grid.hides(s.row, s.i, s.j)) continue;
    const double product = g * static_cast<double>(c.scores.read(c.scores.at(s)));
    const double r = c.distance(s);
    da += product * decay.by_a(r), dp += product * decay.by_p(r);
  }
  c.sums[2 * n] = da, c.sums[2 * n + 1] = dp;
}

// Of all queries of a head, in order.
template <class C>
__global__ void sum_heads(const __grid_constant__ DecayCall<C> c, double* da, double* dp) {
  const int64_t n = thread_index(), lines = c.grid.rows * c.grid.queries;
  if (n >= 2 * c.grid.heads) return;
  double sum = 0;
  for (int64_t line = 0; line < lines; ++line) sum += c.sums[2 * (n / 2 * lines + line) + n % 2];
  (n % 2 == 0 ? da : dp)[n / 2] += sum;
}

template <class C>
DecayCall<C> call_of(const DeviceStream& stream, const ScoreDecay& form, const TermSource& source,
                     const ScorePlaces& at, const Tensor& scores, const Scaled<C>& out) {
  const TermCopy<C>& copy = copy_of<C>(stream, source.plan.parts());
  DecayCall<C> c{ScoreGrid(at, source.heads)};
  c.a = copy.weight(0) + source.first_head, c.p = copy.weight(1) + source.first_head;
  c.form = form, c.scores = Scaled<C>(scores, source.before), c.out = out;
  c.after = static_cast<C>(source.after);
  return c;
}

}  // namespace

template <class C>
void add_term(const DeviceStream& stream, const ScoreDecay& form, const AddTermOrder& order) {
  const auto call = call_of<C>(stream, form, order.term, order.at, order.scores, {order.out, 1});
  launch(stream, "scores with a term", shape_of(call.grid.scores(), threads), multiply_scores<C>,
         call);
}

template <class C>
void term_backward(const DeviceStream& stream, const ScoreDecay& form,
                   const TermGradientOrder& order) {
  auto call = call_of<C>(stream, form, order.term, order.at, order.scores,
                         {order.dscores, order.term.before});
  call.g = {order.dout, order.term.after};
  if (call.out)
    launch(stream, "gradients of scores", shape_of(call.grid.scores(), threads), add_dscores<C>,
           call);
  const WeightSums sums(stream, order.dweights);
  if (!sums) return;
  const int64_t lines = call.grid.heads * call.grid.rows * call.grid.queries;
  const Temporary<double> by_line(stream, 2 * lines);
  call.sums = by_line.data();
  launch(stream, "sums of queries", shape_of(lines, threads / 4), sum_queries<C>, call);
  launch(stream, "sums of heads", shape_of(2 * call.grid.heads, threads / 4), sum_heads<C>, call,
         sums.of(0) + order.term.first_head, sums.of(1) + order.term.first_head);
  sums.add();
}

#define POSENC_DECAY(C)                                                                   \
  template void add_term<C>(const DeviceStream&, const ScoreDecay&, const AddTermOrder&); \
  template void term_backward<C>(const DeviceStream&, const ScoreDecay&, const TermGradientOrder&);
POSENC_DECAY(float)
POSENC_DECAY(double)
#undef POSENC_DECAY

}  // namespace posenc::cuda
