// products.cu: an entry is summed by one thread, or by eight where the sum is long.
#include "cuda/products.h"

#include "cuda/views.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr int64_t many = 256;  // numbers of a long sum
constexpr int at_once = 64;    // products summed in their own type, before f64 takes them

template <class A, class B, class Out>
struct ProductCall {
  ProductSize size;
  Matrices<const A> a;
  Matrices<const B> b;
  Matrices<Out> out;
  bool more;
  int slices;  // threads of an entry
};

template <class A, class B>
__device__ double sum_slice(const A* a, int64_t a_step, const B* b, int64_t b_step, int64_t first,
                            int64_t count, int64_t step) {
  using C = decltype(A{} * B{});
  double sum = 0;
  C part = 0;
  int taken = 0;
  for (int64_t k = first; k < count; k += step) {
    const C x = a ? static_cast<C>(a[k * a_step]) : C{1};
    part += x * static_cast<C>(b[k * b_step]);
    if (++taken == at_once) sum += static_cast<double>(part), part = 0, taken = 0;
  }
  return sum + static_cast<double>(part);
}

template <class A, class B, class Out>
__global__ void multiply_entries(const __grid_constant__ ProductCall<A, B, Out> c) {
  __shared__ double sums[threads];
  const unsigned entries = threads / static_cast<unsigned>(c.slices);
  const unsigned slice = threadIdx.x / entries;
  const int64_t n = blockIdx.x * static_cast<int64_t>(entries) + threadIdx.x % entries;
  const bool exists = n < c.size.heads * c.size.rows * c.size.columns;
  const Divided column = divided(exists ? n : 0, c.size.columns);
  const Divided row = divided(column.quotient, c.size.rows);
  const int64_t h = row.quotient;
  double sum = sum_slice(c.a.data ? c.a.data + h * c.a.head + row.rest * c.a.down : nullptr,
                         c.a.across, c.b.data + h * c.b.head + column.rest * c.b.across, c.b.down,
                         slice, exists ? c.size.inner : 0, c.slices);
  if (c.slices > 1) {
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (slice > 0) return;
    for (unsigned s = 1; s < static_cast<unsigned>(c.slices); ++s)
      sum += sums[s * entries + threadIdx.x];
  }
  if (!exists) return;
  Out& to = c.out.data[h * c.out.head + row.rest * c.out.down + column.rest * c.out.across];
  to = c.more ? to + static_cast<Out>(sum) : static_cast<Out>(sum);
}

}  // namespace

template <class A, class B, class Out>
void multiply(const Place& place, const ProductSize& size, const Matrices<const A>& a,
              const Matrices<const B>& b, const Matrices<Out>& out, bool more) {
  const int slices = size.inner >= many ? 8 : 1;
  const int64_t entries = size.heads * size.rows * size.columns;
  const Shape shape{dim3(static_cast<unsigned>(pieces(entries, threads / slices))), threads};
  launch(place, "products of matrices", shape, multiply_entries<A, B, Out>,
         ProductCall<A, B, Out>{size, a, b, out, more, slices});
}

#define POSENC_MULTIPLY(A, B, Out)                                                   \
  template void multiply(const Place&, const ProductSize&, const Matrices<const A>&, \
                         const Matrices<const B>&, const Matrices<Out>&, bool);
POSENC_MULTIPLY(float, float, float)
POSENC_MULTIPLY(float, float, double)
POSENC_MULTIPLY(double, float, float)
POSENC_MULTIPLY(double, float, double)
POSENC_MULTIPLY(double, double, double)
#undef POSENC_MULTIPLY

}  // namespace posenc::cuda
