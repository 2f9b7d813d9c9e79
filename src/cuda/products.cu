// products.cu: a block makes a tile of entries; where tiles are few and sums are long, several
// blocks share a tile, each with a piece of its sums, which are then added in order.
#include "cuda/products.h"

#include "cuda/views.h"

namespace posenc::cuda {
namespace {

constexpr int side = 32;  // of a tile, and products of an entry that are summed in their own type
constexpr int at_a_time = 8;  // rows of a tile: a thread makes entries of four
constexpr unsigned threads = side * at_a_time;
constexpr int64_t enough = 1024;        // tiles that keep a device busy
constexpr int64_t shortest = 4 * side;  // piece of a sum

template <class A, class B, class Out>
struct ProductCall {
  ProductSize size;
  Matrices<const A> a;
  Matrices<const B> b;
  Matrices<Out> out;
  bool more;
  int64_t down, across;    // tiles
  int64_t piece;           // how much of a sum a block takes
  double* some = nullptr;  // the sums of pieces, [pieces, heads, rows, columns]

  __device__ void write(int64_t head, int64_t row, int64_t column, double sum) const {
    Out& to = out.data[head * out.head + row * out.down + column * out.across];
    to = more ? to + static_cast<Out>(sum) : static_cast<Out>(sum);
  }
};

// Numbers of a matrix from a row and a column on, 0 beyond `rows` and `columns`: threads that
// follow one another read along the side whose numbers do.
template <class C, class T>
__device__ void fill(C (&tile)[side][side + 1], const Matrices<const T>& m, int64_t head,
                     int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const bool along = m.across == 1;
  for (unsigned n = threadIdx.x; n < side * side; n += threads) {
    const unsigned r = along ? n / side : n % side, c = along ? n % side : n / side;
    const bool exists = row + r < rows && column + c < columns;
    const int64_t at = head * m.head + (row + r) * m.down + (column + c) * m.across;
    tile[r][c] = !exists ? C{0} : m.data ? static_cast<C>(m.data[at]) : C{1};
  }
}

template <class A, class B, class Out>
__global__ void multiply_tiles(const __grid_constant__ ProductCall<A, B, Out> c) {
  using C = decltype(A{} * B{});
  __shared__ C left[side][side + 1], right[side][side + 1];
  const Divided across = divided(blockIdx.x, c.across), down = divided(across.quotient, c.down);
  const Divided head = divided(down.quotient, c.size.heads);
  const int64_t row = down.rest * side, column = across.rest * side;
  const int64_t first = head.quotient * c.piece, end = min(first + c.piece, c.size.inner);
  const unsigned x = threadIdx.x % side, y = threadIdx.x / side;
  double sums[side / at_a_time] = {};
  for (int64_t k = first; k < end; k += side) {
    fill(left, c.a, head.rest, row, c.size.rows, k, end);
    fill(right, c.b, head.rest, k, end, column, c.size.columns);
    __syncthreads();
    C part[side / at_a_time] = {};
    for (unsigned n = 0; n < side; ++n)
      for (unsigned i = 0; i < side / at_a_time; ++i)
        part[i] += left[y + i * at_a_time][n] * right[n][x];
    for (unsigned i = 0; i < side / at_a_time; ++i) sums[i] += static_cast<double>(part[i]);
    __syncthreads();
  }
  for (unsigned i = 0; i < side / at_a_time; ++i) {
    const int64_t r = row + y + i * at_a_time, s = column + x;
    if (r >= c.size.rows || s >= c.size.columns) continue;
    if (c.some)
      c.some[(down.quotient * c.size.rows + r) * c.size.columns + s] = sums[i];
    else
      c.write(head.rest, r, s, sums[i]);
  }
}

// The sums of all pieces, by a thread for each entry.
template <class A, class B, class Out>
__global__ void add_pieces(const __grid_constant__ ProductCall<A, B, Out> c) {
  const int64_t n = blockIdx.x * static_cast<int64_t>(threads) + threadIdx.x;
  const int64_t entries = c.size.heads * c.size.rows * c.size.columns;
  if (n >= entries) return;
  double sum = 0;
  for (int64_t first = 0, at = n; first < c.size.inner; first += c.piece, at += entries)
    sum += c.some[at];
  const Divided column = divided(n, c.size.columns), row = divided(column.quotient, c.size.rows);
  c.write(row.quotient, row.rest, column.rest, sum);
}

}  // namespace

template <class A, class B, class Out>
void multiply(const DeviceStream& stream, const ProductSize& size, const Matrices<const A>& a,
              const Matrices<const B>& b, const Matrices<Out>& out, bool more) {
  ProductCall<A, B, Out> call{size,
                              a,
                              b,
                              out,
                              more,
                              pieces(size.rows, side),
                              pieces(size.columns, side),
                              std::max<int64_t>(size.inner, 1)};
  const int64_t tiles = size.heads * call.down * call.across;
  if (tiles == 0) return;
  const int64_t shares = std::clamp<int64_t>(enough / tiles, 1, pieces(call.piece, shortest));
  call.piece = pieces(pieces(call.piece, shares), side) * side;
  const int64_t blocks = pieces(std::max<int64_t>(size.inner, 1), call.piece);
  const int64_t entries = size.heads * size.rows * size.columns;
  const Temporary<double> some(stream, blocks > 1 ? blocks * entries : 0);
  if (blocks > 1) call.some = some.data();
  launch(stream, "products of matrices", {dim3(static_cast<unsigned>(blocks * tiles)), threads},
         multiply_tiles<A, B, Out>, call);
  if (blocks > 1)
    launch(stream, "sums of products", shape_of(entries, threads), add_pieces<A, B, Out>, call);
}

#define POSENC_MULTIPLY(A, B, Out)                                                          \
  template void multiply(const DeviceStream&, const ProductSize&, const Matrices<const A>&, \
                         const Matrices<const B>&, const Matrices<Out>&, bool);
POSENC_MULTIPLY(float, float, float)
POSENC_MULTIPLY(float, float, double)
POSENC_MULTIPLY(double, float, float)
POSENC_MULTIPLY(double, float, double)
POSENC_MULTIPLY(double, double, double)
#undef POSENC_MULTIPLY

}  // namespace posenc::cuda
