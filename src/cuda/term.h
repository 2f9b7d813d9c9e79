// term.h: what the terms of all content schemes share on a device.
//
// A line is a token of a batch row, counted row * tokens + token. Queries and keys are first
// gathered, lines [count, heads, dim] of the compute type C; gradients come back the same way. Work
// whose memory would grow without limit is done for some lines after others.
#pragma once

#include "base/cuda_state.h"
#include "base/score_places.h"
#include "content/plan.h"
#include "cuda/element_types.h"
#include "cuda/term_limit.h"
#include "cuda/views.h"
#include "orders/orders.h"

namespace posenc::cuda {

// The sizes of scores, and where their queries and keys stand.
struct ScoreGrid {
  DevicePlaces query_places, key_places;
  int64_t rows, heads, queries, keys;
  bool causal;

  ScoreGrid(const ScorePlaces& at, int64_t all_heads)
      : query_places(at.queries),
        key_places(at.keys),
        rows(at.rows),
        heads(all_heads),
        queries(at.queries.tokens),
        keys(at.keys.tokens),
        causal(at.causal) {}

  __host__ __device__ int64_t scores() const { return rows * heads * queries * keys; }
  __device__ double query_at(int64_t row, int64_t i) const { return query_places.value(0, row, i); }
  __device__ double key_at(int64_t row, int64_t j) const { return key_places.value(0, row, j); }
  __device__ bool hides(int64_t row, int64_t i, int64_t j) const {
    return causal && key_at(row, j) > query_at(row, i);
  }
  // Whole places.
  __device__ int64_t query_place(int64_t row, int64_t i) const {
    return query_places.integer(0, row, i);
  }
  __device__ int64_t key_place(int64_t row, int64_t j) const {
    return key_places.integer(0, row, j);
  }
};

__device__ inline int64_t thread_index() {
  return blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
}

// One score of a grid.
struct ScoreIndex {
  int64_t row, head, i, j;
};
// The n-th of the scores of `lines` queries from line `first` on: [heads, lines, keys].
__device__ inline ScoreIndex score_index(const ScoreGrid& grid, int64_t n, int64_t first,
                                         int64_t lines) {
  const Divided key = divided(n, grid.keys), line = divided(key.quotient, lines);
  const Divided query = divided(first + line.rest, grid.queries);
  return {query.quotient, line.quotient, query.rest, key.rest};
}

// Numbers of scores, [..., heads, queries, keys], or of heads, [..., tokens, heads, dim], times a
// factor.
template <class C>
struct Scaled {
  View view;
  C factor = 1;

  Scaled() = default;
  Scaled(const Tensor& t, double f) : factor(static_cast<C>(f)) {
    if (t.rank > 0) view = View(t, 3);
  }
  explicit operator bool() const { return view.data; }
  __device__ int64_t at(int64_t row, int64_t a, int64_t b, int64_t c) const {
    return view.offset(row) + a * view.last[0] + b * view.last[1] + c * view.last[2];
  }
  __device__ int64_t at(const ScoreIndex& s) const { return at(s.row, s.head, s.i, s.j); }
  __device__ C read(int64_t offset) const {
    return factor * read_as<C>(view.dtype, view.data, offset);
  }
  // += factor * x.
  __device__ void add(int64_t offset, C x) const {
    write(offset, read_as<C>(view.dtype, view.data, offset) + factor * x);
  }
  __device__ void write(int64_t offset, C x) const {
    write_as<C>(view.dtype, view.data, offset, x);
  }
};

template <class C>
__device__ inline C minus_infinity() {
  return -static_cast<C>(__uint_as_float(0x7f800000u));
}

// Sums along keys: a block has some threads, each of which takes a piece of the keys.
constexpr unsigned scan_threads = 128;
inline Shape scan_shape(int64_t blocks, int64_t keys) {
  const int64_t threads = std::clamp<int64_t>(pieces(keys, 32) * 32, 32, scan_threads);
  return {dim3(static_cast<unsigned>(blocks)), static_cast<unsigned>(threads)};
}
struct ThreadPiece {
  int64_t first, end;
};
__device__ inline ThreadPiece piece_of_thread(int64_t count) {
  const int64_t each = (count + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each;
  return {min(first, count), min(first + each, count)};
}
// The sum of what the threads before this one bring, in their order; once in a kernel.
__device__ inline double sum_before(double mine) {
  __shared__ double all[scan_threads];
  all[threadIdx.x] = mine;
  __syncthreads();
  double sum = 0;
  for (unsigned t = 0; t < threadIdx.x; ++t) sum += all[t];
  return sum;
}
// sums[j] = number(j) and those of all keys after it, by a block; once in a kernel.
template <class F>
__device__ void sum_from_each_key(int64_t keys, double* sums, const F& number) {
  const ThreadPiece mine = piece_of_thread(keys);  // counted from the last key
  double sum = 0;
  for (int64_t n = mine.first; n < mine.end; ++n) sums[keys - 1 - n] = sum += number(keys - 1 - n);
  const double before = sum_before(sum);
  for (int64_t n = mine.first; n < mine.end; ++n) sums[keys - 1 - n] += before;
}

// What a device keeps of a plan, in one compute type.
template <class C>
struct TermCopy {
  DeviceMemory memory{};
  std::vector<const C*> weights{};
  const int32_t* rows = nullptr;  // of distances, where a rule has them listed

  const C* weight(int n) const { return weights[static_cast<size_t>(n)]; }
};
template <class C>
const TermCopy<C>& copy_of(const DeviceStream& stream, const ContentPlan::Parts& parts);

// f(first line, how many) for all lines, so many at a time that memory for them stays small.
template <class F>
void each_piece(int64_t lines, int64_t numbers_of_line, const F& f) {
  const int64_t step = std::clamp<int64_t>(most_numbers / numbers_of_line, 1, lines);
  for (int64_t first = 0; first < lines; first += step) f(first, std::min(step, lines - first));
}

// out [count, heads, dim] = lines of x, [..., tokens, heads, dim], from `first` on, plus a bias
// [heads, dim] unless it is null.
template <class C>
void gather(const DeviceStream& stream, const Tensor& x, int64_t first, int64_t count,
            const C* bias, C* out);
// The way back: tensor += lines.
template <class C>
void add_lines(const DeviceStream& stream, const C* lines, int64_t first, int64_t count,
               const Tensor& tensor);

// dscores += before * g, where they are not hidden; before is the factor of dscores.
template <class C>
void add_scores(const DeviceStream& stream, const ScoreGrid& grid, const Scaled<C>& g,
                const Scaled<C>& dscores);

// Where sums of weights are collected before they are added to what is there.
class WeightSums {
 public:
  WeightSums(const DeviceStream& stream, std::span<const Tensor> dweights);
  explicit operator bool() const { return !dweights_.empty(); }
  double* of(size_t weight) const;
  // dweights += the sums.
  void add() const;

 private:
  const DeviceStream& place_;
  std::span<const Tensor> dweights_;
  Temporary<double> sums_;
};
template <class T>
void clear(const DeviceStream& stream, const Temporary<T>& memory, int64_t count) {
  check(cudaMemsetAsync(memory.data(), 0, static_cast<size_t>(count) * sizeof(T), stream.handle()),
        "cudaMemsetAsync");
}

// The orders, as each form of a term does them.
template <class C>
void add_term(const DeviceStream& stream, const RowLookups& form, const AddTermOrder& order);
template <class C>
void term_backward(const DeviceStream& stream, const RowLookups& form,
                   const TermGradientOrder& order);
template <class C>
void add_term(const DeviceStream& stream, const CountedRows& form, const AddTermOrder& order);
template <class C>
void term_backward(const DeviceStream& stream, const CountedRows& form,
                   const TermGradientOrder& order);
template <class C>
void add_term(const DeviceStream& stream, const KeyGates& form, const AddTermOrder& order);
template <class C>
void term_backward(const DeviceStream& stream, const KeyGates& form,
                   const TermGradientOrder& order);
template <class C>
void add_term(const DeviceStream& stream, const PairGates& form, const AddTermOrder& order);
template <class C>
void term_backward(const DeviceStream& stream, const PairGates& form,
                   const TermGradientOrder& order);
template <class C>
void add_term(const DeviceStream& stream, const ScoreDecay& form, const AddTermOrder& order);
template <class C>
void term_backward(const DeviceStream& stream, const ScoreDecay& form,
                   const TermGradientOrder& order);

}  // namespace posenc::cuda
