// term.cu: orders of content terms, and what all of them need.
#include "cuda/term.h"

#include "base/dispatch.h"
#include "cuda/rows.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 256;

// Lines [count, heads, dim] of a tensor.
template <class C>
struct LinesCall {
  Scaled<C> tensor;
  int64_t tokens, heads, dim, first, count;

  LinesCall(const Tensor& t, int64_t first_line, int64_t lines)
      : tensor(t, 1),
        tokens(t.size(-3)),
        heads(t.size(-2)),
        dim(t.size(-1)),
        first(first_line),
        count(lines) {}
  int64_t numbers() const { return count * heads * dim; }
  // Where number n of the lines is in the tensor.
  __device__ int64_t at(int64_t n) const {
    const Divided column = divided(n, dim), head = divided(column.quotient, heads);
    const Divided token = divided(first + head.quotient, tokens);
    return tensor.at(token.quotient, token.rest, head.rest, column.rest);
  }
};

template <class C>
__global__ void gather_lines(const __grid_constant__ LinesCall<C> c, const C* bias, C* out) {
  const int64_t n = thread_index();
  if (n >= c.count * c.heads * c.dim) return;
  const C x = c.tensor.read(c.at(n));
  out[n] = bias ? x + bias[n % (c.heads * c.dim)] : x;
}

template <class C>
__global__ void scatter_lines(const __grid_constant__ LinesCall<C> c, const C* lines) {
  const int64_t n = thread_index();
  if (n >= c.count * c.heads * c.dim) return;
  c.tensor.add(c.at(n), lines[n]);
}

template <class C>
__global__ void add_seen(const __grid_constant__ ScoreGrid grid,
                         const __grid_constant__ Scaled<C> g,
                         const __grid_constant__ Scaled<C> dscores) {
  const int64_t n = thread_index(), lines = grid.rows * grid.queries;
  if (n >= lines * grid.heads * grid.keys) return;
  const ScoreIndex s = score_index(grid, n, 0, lines);
  if (!grid.hides(s.row, s.i, s.j)) dscores.add(dscores.at(s), g.read(g.at(s)));
}

__global__ void add_to_weight(const __grid_constant__ View to, int64_t count, const double* sums) {
  const int64_t n = thread_index();
  if (n >= count) return;
  const int64_t at = to.offset(n);
  if (to.dtype == DType::f64) {
    reinterpret_cast<double*>(to.data)[at] += sums[n];
  } else {
    reinterpret_cast<float*>(to.data)[at] += static_cast<float>(sums[n]);
  }
}

int64_t elements(std::span<const Tensor> tensors) {
  int64_t sum = 0;
  for (const Tensor& t : tensors) sum += t.elements();
  return sum;
}

}  // namespace

int64_t most_numbers = int64_t{1} << 24;

template <class C>
void gather(const DeviceStream& stream, const Tensor& x, int64_t first, int64_t count,
            const C* bias, C* out) {
  const LinesCall<C> call(x, first, count);
  launch(stream, "gathered lines", shape_of(call.numbers(), threads), gather_lines<C>, call, bias,
         out);
}

template <class C>
void add_lines(const DeviceStream& stream, const C* lines, int64_t first, int64_t count,
               const Tensor& tensor) {
  const LinesCall<C> call(tensor, first, count);
  launch(stream, "scattered lines", shape_of(call.numbers(), threads), scatter_lines<C>, call,
         lines);
}

template <class C>
void add_scores(const DeviceStream& stream, const ScoreGrid& grid, const Scaled<C>& g,
                const Scaled<C>& dscores) {
  launch(stream, "gradients of scores", shape_of(grid.scores(), threads), add_seen<C>, grid, g,
         dscores);
}

WeightSums::WeightSums(const DeviceStream& stream, std::span<const Tensor> dweights)
    : place_(stream), dweights_(dweights), sums_(stream, elements(dweights)) {
  clear(stream, sums_, elements(dweights));
}

double* WeightSums::of(size_t weight) const {
  return sums_.data() + elements(dweights_.first(weight));
}

void WeightSums::add() const {
  for (size_t i = 0; i < dweights_.size(); ++i) {
    const int64_t count = dweights_[i].elements();
    launch(place_, "gradients of weights", shape_of(count, threads), add_to_weight,
           View(dweights_[i], 0), count, of(i));
  }
}

void run(const AddTermOrder& order) {
  const DeviceStream stream(order.out, order.stream);
  dispatch_compute(order.out.dtype, [&]<class C>() {
    std::visit([&](const auto& form) { add_term<C>(stream, form, order); },
               order.term.plan.parts().formula.form);
  });
}

void run(const TermGradientOrder& order) {
  const DeviceStream stream(order.dout, order.stream);
  dispatch_compute(order.dout.dtype, [&]<class C>() {
    std::visit([&](const auto& form) { term_backward<C>(stream, form, order); },
               order.term.plan.parts().formula.form);
  });
}

#define POSENC_TERM(C)                                                                      \
  template void gather(const DeviceStream&, const Tensor&, int64_t, int64_t, const C*, C*); \
  template void add_lines(const DeviceStream&, const C*, int64_t, int64_t, const Tensor&);  \
  template void add_scores(const DeviceStream&, const ScoreGrid&, const Scaled<C>&,         \
                           const Scaled<C>&);
POSENC_TERM(float)
POSENC_TERM(double)
#undef POSENC_TERM

}  // namespace posenc::cuda
