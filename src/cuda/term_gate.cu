// term_gate.cu: gates that hidden states make for their queries, and their gradients.
#include "cuda/term_lookup.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 128;

// Of a line and head, counted line * heads + head.
template <class C>
__device__ GateValue gate_at(const GateWeights<C>& c, const C* x, int64_t n) {
  double sums[2] = {0, 0};
  for (int64_t o = 0; o < 2 * gate_rows; ++o) {
    double sum = static_cast<double>(c.bias[o]);
    for (int64_t f = 0; f < c.dim; ++f)
      sum += static_cast<double>(c.weight[o * c.dim + f]) * static_cast<double>(x[n * c.dim + f]);
    sums[o / gate_rows] += sum;
  }
  return GateValue(sums[0], sums[1], static_cast<double>(c.scale[n % c.heads]));
}

template <class C>
__global__ void fill_gates(const __grid_constant__ GateWeights<C> c, const C* x, int64_t count,
                           C* out) {
  const int64_t n = thread_index();
  if (n < count) out[n] = static_cast<C>(gate_at(c, x, n).value);
}

template <class C>
__global__ void gates_back(const __grid_constant__ GateWeights<C> c, const C* x, int64_t count,
                           const C* dgates, C* dx, C* dsums) {
  const int64_t n = thread_index();
  if (n >= count) return;
  const GateValue gate = gate_at(c, x, n);
  const auto g = static_cast<double>(dgates[n]);
  const double by[2] = {g * gate.by_a, g * gate.by_b};
  for (int64_t f = 0; f < c.dim; ++f) {
    double sum = 0;
    for (int64_t o = 0; o < 2 * gate_rows; ++o)
      sum += by[o / gate_rows] * static_cast<double>(c.weight[o * c.dim + f]);
    dx[n * c.dim + f] = static_cast<C>(sum);
  }
  dsums[3 * n] = static_cast<C>(by[0]), dsums[3 * n + 1] = static_cast<C>(by[1]);
  dsums[3 * n + 2] = static_cast<C>(g * gate.by_scale);
}

}  // namespace

template <class C>
void make_gates(const DeviceStream& stream, const GateWeights<C>& gate, const C* x, int64_t lines,
                C* out) {
  const int64_t count = lines * gate.heads;
  launch(stream, "gates", shape_of(count, threads), fill_gates<C>, gate, x, count, out);
}

template <class C>
void gates_backward(const DeviceStream& stream, const GateWeights<C>& gate, const C* x,
                    int64_t lines, const C* dgates, C* dx, C* dsums) {
  const int64_t count = lines * gate.heads;
  launch(stream, "gradients of gates", shape_of(count, threads), gates_back<C>, gate, x, count,
         dgates, dx, dsums);
}

#define POSENC_GATE(C)                                                                         \
  template void make_gates(const DeviceStream&, const GateWeights<C>&, const C*, int64_t, C*); \
  template void gates_backward(const DeviceStream&, const GateWeights<C>&, const C*, int64_t,  \
                               const C*, C*, C*);
POSENC_GATE(float)
POSENC_GATE(double)
#undef POSENC_GATE

}  // namespace posenc::cuda
