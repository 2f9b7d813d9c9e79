// add.cu: rows alone, rows added to a tensor, and rows added to embeddings.
#include <algorithm>

#include "base/dispatch.h"
#include "cuda/rows.h"
#include "orders.h"

namespace posenc::cuda {
namespace {

constexpr int together = 4;  // batch rows whose loads are under way at once

struct AddCall {
  DeviceRows rows;
  DevicePlaces at;
  View x, out, ids;
  const char* embedding;
  int64_t embedding_row, embedding_column, vocabulary;
  double scale;
  int64_t tokens, chunks, batch, group;  // batch rows, and how many of them a block takes
  bool shared, has_x, has_ids;
};

// What the row is added to: a part of x, or of an embedding.
template <int kCount, class T>
__device__ void read_input(const AddCall& c, int64_t row, int64_t token, int64_t column,
                           Compute<T>* out) {
  using C = Compute<T>;
  if (c.has_x) {
    read<kCount>(c.x.at<T>(row) + token * c.x.last[0] + column * c.x.last[1], c.x.last[1], out);
  } else if (c.has_ids) {
    const int64_t at = c.ids.offset(row) + token * c.ids.last[0];
    const int64_t id = c.ids.dtype == DType::i32 ? reinterpret_cast<const int32_t*>(c.ids.data)[at]
                                                 : reinterpret_cast<const int64_t*>(c.ids.data)[at];
    const bool exists = id >= 0 && id < c.vocabulary;
    const T* from = reinterpret_cast<const T*>(c.embedding) + (exists ? id : 0) * c.embedding_row +
                    column * c.embedding_column;
    read<kCount>(from, c.embedding_column, out);
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      out[i] = exists ? static_cast<C>(c.scale) * out[i] : not_a_number<C>();
  }
}

// A thread takes kCount columns of a token, in the batch rows of its block.
template <int kCount, class T>
__global__ void add_rows(const __grid_constant__ AddCall c) {
  using C = Compute<T>;
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const Divided place = divided(i, c.chunks);
  const int64_t token = place.quotient, column = place.rest * kCount;
  if (token >= c.tokens) return;
  const int64_t first = blockIdx.y * c.group, end = min(first + c.group, c.batch);
  C row[kCount];
  if (c.shared) read_row<kCount>(c.rows, c.at, 0, token, column, row);
  for (int64_t r = first; r < end; r += together) {
    C x[together][kCount];
#pragma unroll
    for (int j = 0; j < together; ++j)
      if (r + j < end) read_input<kCount, T>(c, r + j, token, column, x[j]);
#pragma unroll
    for (int j = 0; j < together; ++j) {
      if (r + j >= end) break;
      if (!c.shared) read_row<kCount>(c.rows, c.at, r + j, token, column, row);
      if (c.has_x || c.has_ids) {
#pragma unroll
        for (int k = 0; k < kCount; ++k) x[j][k] += row[k];
      }
      T* to = c.out.at<T>(r + j) + token * c.out.last[0] + column * c.out.last[1];
      write<kCount>(to, c.out.last[1], c.has_x || c.has_ids ? x[j] : row);
    }
  }
}

// ---- long tables ------------------------------------------------------------------------------

constexpr int run_length = 16;  // rows from one exact phase

// kCount columns of a run of rows at places one after the other, by s(n+1) = 2 cos(w) s(n) - s(n-1)
// in f64 from two exact values, or, for devices whose f64 is slow, each from its own phase in f32.
template <class T, bool kF64>
__global__ void fill_run(const __grid_constant__ AddCall c) {
  constexpr int count = Pack<T>::size;
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const Divided place = divided(i, c.chunks);
  const int64_t token = place.quotient * run_length, column = place.rest * count;
  if (token >= c.tokens) return;
  const DeviceWaves& w = c.rows.waves;
  const int64_t position = c.at.first + token + w.shift_whole;
  const int rows = static_cast<int>(min(static_cast<int64_t>(run_length), c.tokens - token));
  T* to = reinterpret_cast<T*>(c.out.data) + token * c.out.last[0] + column;
  Turn turn[count];
  uint64_t step[count];
#pragma unroll
  for (int k = 0; k < count; ++k) {
    const uint64_t hi = w.hi[column + k];
    const Coordinate here{position, w.shift_part, 0, 0};
    turn[k] = w.phase[column + k] + turn_at(hi, w.lo[column + k], w.turns[column + k], here);
    step[k] = hi;
  }
  if constexpr (kF64) {
    double now[count], next[count], factor[count];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if (k % 2 == 1 && w.mate != 0) continue;
      const double2 a = sine_cosine(turn[k], w.amplitude[column + k]);
      const double2 b = sine_cosine(turn[k] + step[k], w.amplitude[column + k]);
      now[k] = a.x, next[k] = b.x;
      if (w.mate != 0) now[k + 1] = w.mate * a.y, next[k + 1] = w.mate * b.y;
    }
#pragma unroll
    for (int k = 0; k < count; ++k) factor[k] = 2 * w.cos_step[column + k];
#pragma unroll 4
    for (int r = 0; r < rows; ++r, to += c.out.last[0]) {
      float row[count];
#pragma unroll
      for (int k = 0; k < count; ++k) {
        row[k] = static_cast<float>(now[k]);
        const double after = fma(factor[k], next[k], -now[k]);
        now[k] = next[k], next[k] = after;
      }
      write<count>(to, 1, row);
    }
  } else {
    Amplitude amplitude[count];
#pragma unroll
    for (int k = 0; k < count; ++k) amplitude[k] = w.amplitude32[column + k];
#pragma unroll 2
    for (int r = 0; r < rows; ++r, to += c.out.last[0]) {
      float row[count];
#pragma unroll
      for (int k = 0; k < count; ++k) {
        if (k % 2 == 1 && w.mate != 0) continue;
        const float2 both = sine_cosine(turn[k], amplitude[k]);
        row[k] = both.x, turn[k] += step[k];
        if (w.mate != 0) row[k + 1] = w.mate > 0 ? both.y : -both.y;
      }
      write<count>(to, 1, row);
    }
  }
}

template <class T>
bool can_fill_runs(const AddCall& c) {
  return sizeof(T) < 8 && !c.has_x && !c.has_ids && c.at.kind == DevicePlaces::Kind::range &&
         !c.rows.is_table && c.rows.kept_rows == 0 && !c.rows.has_zero_row && c.rows.waves.steady &&
         c.rows.waves.axes == 1 && c.batch == 1 && c.tokens >= 4 * run_length;
}

template <class T>
void run_as(const Place& place, AddCall& c, int64_t dim) {
  constexpr int most = Pack<T>::size;
  const bool packs = dim % most == 0 && c.out.aligned(2) && (!c.has_x || c.x.aligned(2)) &&
                     (!c.has_ids || (c.embedding_column == 1 && c.embedding_row % most == 0 &&
                                     reinterpret_cast<uintptr_t>(c.embedding) % 16 == 0));
  c.chunks = packs ? dim / most : dim;
  if constexpr (sizeof(T) < 8)
    if (packs && can_fill_runs<T>(c))
      return launch(place, "a table filled", shape_of(pieces(c.tokens, run_length) * c.chunks, 128),
                    place.has_fast_f64() ? fill_run<T, true> : fill_run<T, false>, c);
  const int64_t units = c.tokens * c.chunks, wanted = int64_t{place.processors()} * 2048 * 2;
  const int64_t groups = std::min<int64_t>(
      {c.batch, 65535, c.shared ? std::max<int64_t>(1, wanted / units) : c.batch});
  c.group = pieces(c.batch, groups);
  const Shape shape = shape_of(units, 256, static_cast<unsigned>(pieces(c.batch, c.group)));
  launch(place, "rows added", shape, packs ? add_rows<most, T> : add_rows<1, T>, c);
}

}  // namespace

void run(const AddOrder& order) {
  if (order.out.elements() == 0) return;
  const Place place(order.out, order.stream);
  AddCall c{};
  c.rows = rows_on(place, order.rows), c.at = DevicePlaces(order.at), c.shared = order.at.shared();
  c.out = View(order.out, 2), c.tokens = order.at.tokens, c.batch = c.out.rows;
  c.has_x = order.x, c.has_ids = order.ids, c.scale = order.scale;
  if (order.x) c.x = View(*order.x, 2);
  if (order.ids) {
    const Tensor& e = *order.embedding;
    c.ids = View(*order.ids, 1), c.embedding = static_cast<const char*>(e.data);
    c.embedding_row = e.step(0), c.embedding_column = e.step(1), c.vocabulary = e.size(0);
  }
  dispatch(order.out.dtype, [&]<class T>() { run_as<T>(place, c, order.rows.dim); });
}

}  // namespace posenc::cuda
