// relative_cases.cu: biases of whole squares of scores.
#include "bench/cuda/cases.h"
#include "bench/cuda/sets.h"
#include "posenc/posenc.h"

namespace posenc::bench {
namespace {

// [heads, queries, keys]
struct Scores {
  DType dtype;
  int64_t heads = 32, queries = 4096, keys = 4096;
  int64_t bytes() const { return heads * queries * keys * size_of(dtype); }
  Tensor in(const Buffer& b) const { return b.tensor(dtype, {heads, queries, keys}); }
  Tensor compared(const Shared& sets) const {
    return four((*sets)[0], dtype, ((heads - 1) * queries + compared_row(queries)) * keys);
  }
};

constexpr int64_t buckets = 32;

BiasPlan t5(const Scores& s) {
  std::vector<float> table(static_cast<size_t>(buckets * s.heads));
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i % 7) * 0.25f;
  const Tensor weights[] = {tensor(table.data(), {buckets, s.heads})};
  return prepare(T5Bias{.heads = s.heads, .buckets = buckets},
                 {.weights = weights, .keep = s.keys, .cuda_device = 0});
}

CudaJob t5_job(const Scores& s) {
  const int sets = sets_for(2 * s.bytes());
  const Shared scores = make_sets(sets, s.bytes());
  const auto work = [=, plan = t5(s)](cudaStream_t stream, int set) {
    add(plan, s.in((*scores)[set]), {}, stream);
  };
  return {work, 2 * s.bytes(), Plain::rewrite, sets, s.compared(scores)};
}

CudaJob t5_gradient_job(const Scores& s) {
  const int sets = sets_for(s.bytes());
  const Shared dout = make_sets(sets, s.bytes());
  const SharedBuffer sums = zeros_on_device(buckets * s.heads * 4);
  const auto work = [=, plan = t5(s)](cudaStream_t stream, int set) {
    const Tensor dweights[] = {sums->tensor(DType::f32, {buckets, s.heads})};
    backward(plan, s.in((*dout)[set]), dweights, {}, stream);
  };
  return {work, s.bytes(), Plain::read, sets};
}

CudaJob alibi_job(const Scores& s) {
  const int sets = sets_for(s.bytes());
  const Shared out = make_sets(sets, s.bytes());
  const auto plan = prepare(Alibi{.heads = s.heads}, {.keep = s.keys, .cuda_device = 0});
  const auto work = [=](cudaStream_t stream, int set) {
    fill(plan, s.in((*out)[set]), {}, stream);
  };
  return {work, s.bytes(), Plain::fill, sets, s.compared(out)};
}

CudaCase make(const char* verb, CudaJob (*job)(const Scores&), const Scores& s) {
  return {text(verb, " ", to_string(s.dtype), " ", s.heads, "x", size_name(s.queries), "x",
               size_name(s.keys)),
          [=] { return job(s); },
          text(verb, " ", to_string(s.dtype), " ", s.heads, " ", s.queries, " ", s.keys)};
}

}  // namespace

std::vector<CudaCase> relative_cases() {
  std::vector<CudaCase> out;
  for (const DType dtype : {DType::f32, DType::bf16}) {
    out.push_back(make("t5", t5_job, {dtype}));
    out.push_back(make("alibi", alibi_job, {dtype}));
  }
  out.push_back(make("t5-gradient", t5_gradient_job, {DType::bf16}));
  return out;
}

}  // namespace posenc::bench
