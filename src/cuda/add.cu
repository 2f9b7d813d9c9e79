// add.cu: rows alone, rows added to a tensor, and rows added to embeddings.
#include <algorithm>

#include "base/dispatch.h"
#include "cuda/fill_runs.h"
#include "orders/orders.h"

namespace posenc::cuda {
namespace {

constexpr unsigned add_threads = 128;

// What rows are added to.
enum class To : uint8_t { nothing, x, embedding };

// Batch rows that share a row which is made once, and whose loads are under way at once: more of an
// embedding's, which are found late.
constexpr int together(To to) { return to == To::embedding ? 8 : 4; }

// Where the token's part of x lies, or of its row of the embedding; null: there is none.
template <To kTo, class T>
__device__ const T* find_input(const AddCall& c, int64_t row, int64_t id, int64_t token,
                               int64_t column) {
  if constexpr (kTo == To::x) return c.x.at<T>(row) + token * c.x.last[0] + column * c.x.last[1];
  if (id < 0 || id >= c.vocabulary) return nullptr;
  return reinterpret_cast<const T*>(c.embedding) + id * c.embedding_row +
         column * c.embedding_column;
}

// Columns of rows that are plain, at a whole place within 2^31.
template <int kCount>
__device__ void find_plain_row(const AddCall& c, int32_t position, int64_t column, float* out) {
  const auto p = static_cast<uint64_t>(static_cast<int64_t>(position));
  const PlainWaves& plain = c.rows.plain;
  const Turn phase = column < plain.second ? plain.phases[0] : plain.phases[1];
  const uint64_t* hi = c.rows.waves.hi + column;
#pragma unroll
  for (int i = 0; i < kCount; i += 2) {
    const float2 both = sine_cosine(phase + hi[i] * p, plain.amplitude);
    out[i] = both.x;
    if (c.rows.waves.mate != 0) {
      out[i + 1] = c.rows.waves.mate > 0 ? both.y : -both.y;
    } else {
      out[i + 1] = sine_cosine(phase + hi[i + 1] * p, plain.amplitude).x;
    }
  }
}

// Columns of a trained row, side by side.
template <int kCount>
__device__ void find_trained_row(const AddCall& c, int64_t which, int64_t column, float* out) {
  const bool exists = which >= 0 && which < c.rows.table_rows;
  if (exists)
    read_numbers<kCount>(c.rows.dtype, c.rows.table, which * c.rows.row_step + column, out);
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    out[i] = exists ? static_cast<float>(c.rows.factor) * out[i] : not_a_number<float>();
}

// Few columns at a time need few registers.
template <int kCount, class C>
__device__ void find_row(const AddCall& c, int64_t row, int64_t token, int64_t column, C* out) {
  if constexpr (kCount > 1 && sizeof(C) == 4) {
    if (c.whole_packs)
      return find_trained_row<kCount>(c, c.at.integer(0, row, token) + c.rows.offset, column, out);
    if (c.plain) {
      const int64_t p = c.at.integer(0, row, token) + c.rows.waves.shift_whole;
      if (p == static_cast<int32_t>(p))
        return find_plain_row<kCount>(c, static_cast<int32_t>(p), column, out);
    }
  }
  constexpr int some = kCount > 2 ? 2 : kCount;
#pragma unroll 1
  for (int i = 0; i < kCount; i += some) {
    C part[some];
    read_row<some>(c.rows, c.at, row, token, column + i, part);
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      if (j / some == i / some) out[j] = part[j % some];
  }
}

// The row added to what was loaded; exists: there was something.
template <int kCount, To kTo, class T>
__device__ void write_sum(const AddCall& c, int64_t batch_row, int64_t token, int64_t column,
                          const Compute<T>* row, const Numbers<kCount, T>& x, bool exists) {
  using C = Compute<T>;
  C sum[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    sum[k] = row[k];
    if constexpr (kTo == To::x) sum[k] += wide(x.of[k]);
    if constexpr (kTo == To::embedding)
      sum[k] = exists ? fma(static_cast<C>(c.scale), wide(x.of[k]), sum[k]) : not_a_number<C>();
  }
  T* to = c.out.at<T>(batch_row) + token * c.out.last[0] + column * c.out.last[1];
  write<kCount>(to, c.out.last[1], sum);
}

// A thread takes kCount columns of a token, in the batch rows of its block: rows of their own, or
// one that all share and that is made once.
template <int kCount, To kTo, bool kShared, class T>
__global__ void __launch_bounds__(add_threads, kTo == To::x ? 1024 / add_threads : 1)
    add_rows(const __grid_constant__ AddCall c) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const Divided item = divided(i, c.chunks);
  const int64_t token = item.quotient, column = item.rest * kCount;
  if (token >= c.tokens) return;
  const int64_t first = blockIdx.y * c.group, end = min(first + c.group, c.batch);
  wait_for_inputs();
  Compute<T> row[kCount];
  if (kShared) find_row<kCount>(c, 0, token, column, row);
  constexpr int some = kShared ? together(kTo) : 1;
  for (int64_t r = first; r < end; r += some) {
    Numbers<kCount, T> x[some];
    bool exists[some] = {};
    if (!kShared) find_row<kCount>(c, r, token, column, row);
    int64_t id[some] = {};
    if constexpr (kTo == To::embedding) {  // all are asked for before any is waited for
      int64_t at[some];
#pragma unroll
      for (int j = 0; j < some; ++j)
        at[j] = c.ids.offset(min(r + j, end - 1)) + token * c.ids.last[0];
#pragma unroll
      for (int j = 0; j < some; ++j)
        id[j] = read_integer(c.ids.data, c.ids.dtype == DType::i32, at[j]);
    }
    if constexpr (kTo != To::nothing) {
#pragma unroll
      for (int j = 0; j < some; ++j) {
        if (r + j >= end) break;
        const T* from = find_input<kTo, T>(c, r + j, id[j], token, column);
        exists[j] = from != nullptr;
        if (exists[j]) x[j] = load_numbers<kCount>(from);
      }
    }
#pragma unroll
    for (int j = 0; j < some; ++j)
      if (r + j < end) write_sum<kCount, kTo, T>(c, r + j, token, column, row, x[j], exists[j]);
  }
}

// Packs, in batch rows that share places or not; anything else number by number.
template <To kTo, class T>
void add_to(const DeviceStream& stream, const AddCall& c, const Shape& shape, bool packs,
            bool shared) {
  if constexpr (sizeof(T) < 8)
    if (packs)
      return launch_early(
          stream, "add", shape,
          shared ? add_rows<Pack<T>::size, kTo, true, T> : add_rows<Pack<T>::size, kTo, false, T>,
          c);
  launch_early(stream, "add", shape, add_rows<1, kTo, false, T>, c);
}

template <class T>
void run_as(const DeviceStream& stream, AddCall& c, int64_t dim, bool shared) {
  constexpr int most = Pack<T>::size;
  const bool packs = sizeof(T) < 8 && dim % most == 0 && c.out.aligned(2) &&
                     (!c.has_x || c.x.aligned(2)) &&
                     (!c.has_ids || (c.embedding_column == 1 && c.embedding_row % most == 0 &&
                                     reinterpret_cast<uintptr_t>(c.embedding) % 16 == 0));
  c.chunks = packs ? dim / most : dim;
  c.whole_packs = packs && c.rows.is_table && c.rows.columns >= dim && c.rows.column_step == 1 &&
                  c.rows.row_step % most == 0 &&
                  reinterpret_cast<uintptr_t>(c.rows.table) % 16 == 0;
  if constexpr (sizeof(T) < 8)
    if (packs && can_fill_runs<T>(c))
      return stream.has_fast_f64() ? fill_runs<T, true>(stream, c) : fill_runs<T, false>(stream, c);
  // Batch rows that a thread takes where they share a row; more of an embedding's, as long as
  // enough threads are left.
  const int64_t units = c.tokens * c.chunks, wanted = int64_t{stream.processors()} * 1024 * 2;
  const int64_t fair = pieces(c.batch, pieces(wanted, units)), few = together(To::x);
  c.group = !shared || !packs ? 1 : c.has_ids ? std::clamp<int64_t>(fair, few, 8 * few) : few;
  c.group = std::max(c.group, pieces(c.batch, 65535));
  const Shape shape = shape_of(units, add_threads, static_cast<unsigned>(pieces(c.batch, c.group)));
  c.has_x     ? add_to<To::x, T>(stream, c, shape, packs, shared)
  : c.has_ids ? add_to<To::embedding, T>(stream, c, shape, packs, shared)
              : add_to<To::nothing, T>(stream, c, shape, packs, shared);
}

}  // namespace

void run(const AddOrder& order) {
  if (order.out.elements() == 0) return;
  const DeviceStream stream(order.out, order.stream);
  AddCall c{};
  c.rows = rows_on(stream, order.rows), c.at = DevicePlaces(order.at);
  c.plain = c.rows.plain.are && c.rows.kept_rows == 0 && c.at.whole();
  c.out = View(order.out, 2), c.tokens = order.at.tokens, c.batch = c.out.rows;
  c.has_x = order.x, c.has_ids = order.ids, c.scale = order.scale;
  if (order.x) c.x = View(*order.x, 2);
  if (order.ids) {
    const Tensor& e = *order.embedding;
    c.ids = View(*order.ids, 1), c.embedding = static_cast<const char*>(e.data);
    c.embedding_row = e.step(0), c.embedding_column = e.step(1), c.vocabulary = e.size(0);
  }
  dispatch(order.out.dtype,
           [&]<class T>() { run_as<T>(stream, c, order.rows.dim, order.at.shared()); });
}

}  // namespace posenc::cuda
