// scatter.cu: sums over tokens that read the same row.
//
// Tokens are sorted by their row. The sorted list is cut into windows of fixed size; a window adds
// what it has of a row to that row, except for a row that began in a window before: that sum waits
// in a list, by row as well, which is then cut and added in the same way.
#include <algorithm>

#include "cuda/scatter.h"

#include "base/dispatch.h"
#include "cuda/vectors.h"
#include "orders/orders.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 128;
[[maybe_unused]] constexpr unsigned blocks_at_once = 5;  // of a multiprocessor, at least
constexpr int together = 4;                              // rows whose loads are under way at once
constexpr int64_t enough = int64_t{1} << 19;             // threads

struct WindowCall {
  View in;  // [..., dim]
  const uint32_t *keys, *order;
  uint32_t none;  // the key of what is skipped
  int64_t count, window, windows, chunks, dim;
  SumRows sums;
  char* parts;  // [windows, dim]: of rows that began before
  uint32_t* part_keys;
};

// A thread takes kCount columns of a window.
template <int kCount, class T>
__global__ void __launch_bounds__(threads, blocks_at_once)
    sum_windows(const __grid_constant__ WindowCall c) {
  using C = Compute<T>;
  const Divided at = divided(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x, c.chunks);
  const int64_t window = at.quotient, column = at.rest * kCount;
  if (window >= c.windows) return;
  const int64_t first = window * c.window, end = min(first + c.window, c.count);
  uint32_t key = c.keys[first];
  bool began = window > 0 && key != c.none && c.keys[first - 1] == key;
  if (column == 0 && c.part_keys) c.part_keys[window] = began ? key : c.none;
  C sum[kCount] = {};
  for (int64_t n = first; n < end; n += together) {
    // Everything of one kind is asked for before any of it is looked at: a loop that did both would
    // wait for memory as often as it has rows. A list has a row for each of its keys, used or not.
    uint32_t keys[together + 1], token[together];
    const T* from[together];
    Numbers<kCount, T> in[together];
    C old[together][kCount];
    bool adds[together];
    keys[0] = key;
#pragma unroll
    for (int j = 0; j < together; ++j) {
      keys[j + 1] = n + j + 1 < end ? c.keys[n + j + 1] : c.none;
      const int64_t item = min(n + j, end - 1);
      token[j] = c.order ? c.order[item] : static_cast<uint32_t>(item);
    }
#pragma unroll
    for (int j = 0; j < together; ++j) from[j] = c.in.at<T>(token[j]) + column * c.in.last[0];
#pragma unroll
    for (int j = 0; j < together; ++j)
      if (keys[j] != c.none || !c.order) in[j] = load_numbers<kCount>(from[j]);
#pragma unroll
    for (int j = 0; j < together; ++j) {
      const bool ends = keys[j] != c.none && keys[j] != keys[j + 1];
      adds[j] = ends && !began;
      if (ends) began = false;
      if (adds[j]) read_sums<kCount>(c.sums.at<C>(keys[j], column), c.sums.column, old[j]);
    }
#pragma unroll
    for (int j = 0; j < together; ++j) {
      if (keys[j] == c.none) continue;
#pragma unroll
      for (int k = 0; k < kCount; ++k) sum[k] += wide(in[j].of[k]);
      if (keys[j] == keys[j + 1]) continue;
      if (adds[j]) {
#pragma unroll
        for (int k = 0; k < kCount; ++k)
          old[j][k] = fma(static_cast<C>(c.sums.factor), sum[k], old[j][k]);
        write_sums<kCount>(c.sums.at<C>(keys[j], column), c.sums.column, old[j]);
      } else {
        write_sums<kCount>(reinterpret_cast<C*>(c.parts) + window * c.dim + column, 1, sum);
      }
#pragma unroll
      for (int k = 0; k < kCount; ++k) sum[k] = 0;
    }
    key = keys[together];
  }
}

// All levels; the list of what is left is shorter each time, until one window holds it.
template <class T>
void sum_list(const DeviceStream& stream, WindowCall c) {
  using C = Compute<T>;
  constexpr int most = Pack<T>::size;
  const bool packs = c.dim % most == 0 && c.in.aligned(1) && c.sums.aligned<C>();
  c.chunks = packs ? c.dim / most : c.dim;
  const int64_t least = c.order ? 16 : 32;
  c.window = std::clamp<int64_t>(c.count * c.chunks / enough / together * together, least, 256);
  c.windows = pieces(c.count, c.window);
  const auto launch_sums = [&] {
    launch(stream, "gradients of a table", shape_of(c.windows * c.chunks, threads),
           packs ? sum_windows<most, T> : sum_windows<1, T>, c);
  };
  c.part_keys = nullptr;
  if (c.windows == 1) return launch_sums();
  const int64_t sums = c.windows * c.dim, bytes = sums * static_cast<int64_t>(sizeof(C));
  const Temporary<char> parts(stream, bytes + c.windows * static_cast<int64_t>(sizeof(uint32_t)));
  c.parts = parts.data(), c.part_keys = reinterpret_cast<uint32_t*>(parts.data() + bytes);
  launch_sums();
  c.in = View(tensor(reinterpret_cast<C*>(c.parts), {c.windows, c.dim}), 1);
  c.keys = c.part_keys, c.order = nullptr, c.count = c.windows;
  sum_list<C>(stream, c);
}

}  // namespace

void scatter(const DeviceStream& stream, const RowKeys& of, const Tensor& dout,
             const SumRows& sums) {
  const int64_t count = of.count;
  if (count >= INT32_MAX || of.rows >= INT32_MAX)
    fail("cuda", "expected fewer than 2^31 tokens and rows to add to, got ", count, " and ",
         of.rows);
  const Temporary<uint32_t> sorted(stream, 2 * count);
  uint32_t *keys = sorted.data(), *order = keys + count;
  sort_tokens(stream, of, keys, order);
  WindowCall c{};
  c.in = View(dout, 1), c.keys = keys, c.order = order;
  c.none = static_cast<uint32_t>(of.rows), c.count = count, c.dim = dout.size(-1), c.sums = sums;
  dispatch(dout.dtype, [&]<class T>() { sum_list<T>(stream, c); });
}

void run(const ScatterOrder& order) {
  if (order.dout.elements() == 0) return;
  const DeviceStream stream(order.dout, order.stream);
  RowKeys keys;
  keys.ids = View(order.ids, 0), keys.count = keys.ids.rows, keys.rows = order.sums.size(0);
  scatter(stream, keys, order.dout, SumRows(order.sums, order.scale));
}

}  // namespace posenc::cuda
