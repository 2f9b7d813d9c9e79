// rotary_cases.cu: rotations of heads, and what a layer of an engine does around them.
#include "bench/cuda/cases.h"
#include "bench/cuda/sets.h"
#include "posenc/posenc.h"

namespace posenc::bench {
namespace {

struct Turn {
  DType dtype;
  Layout layout;
  int64_t tokens;
  bool kept = false, back = false;
  int64_t dim = 128, q_heads = 32, k_heads = 8;

  int64_t q_bytes() const { return tokens * q_heads * dim * size_of(dtype); }
  int64_t k_bytes() const { return tokens * k_heads * dim * size_of(dtype); }
  Tensor q(const Buffer& b) const { return b.tensor(dtype, {tokens, q_heads, dim}); }
  Tensor k(const Buffer& b) const { return b.tensor(dtype, {tokens, k_heads, dim}); }
  // The last head of keys, of the token that is compared or of what lies in a slot of a cache.
  Tensor compared(const Shared& k, int64_t row) const {
    return four((*k)[0], dtype, (row * k_heads + k_heads - 1) * dim);
  }
};

RotaryPlan plan_of(const Turn& t, int64_t keep) {
  return prepare(Rope{.dim = t.dim, .layout = t.layout, .base = 500000},
                 {.keep = keep, .cuda_device = 0});
}

CudaJob rotate_job(const Turn& t) {
  const int64_t bytes = 2 * (t.q_bytes() + t.k_bytes());
  const int sets = sets_for(bytes);
  const Shared q = make_sets(sets, t.q_bytes()), k = make_sets(sets, t.k_bytes());
  const auto work = [=, plan = plan_of(t, t.kept ? t.tokens : 0)](cudaStream_t stream, int set) {
    const QueriesKeys both{t.q((*q)[set]), t.k((*k)[set])};
    t.back ? rotate_adjoint(plan, both, both, range(), stream)
           : rotate(plan, both, both, range(), stream);
  };
  return {work, bytes + (t.kept ? t.tokens * t.dim * 4 : 0), Plain::copy, sets,
          t.compared(k, compared_row(t.tokens))};
}

// Norms, turn, and keys and values into a paged cache; as many heads of values as of keys.
constexpr int64_t page_size = 16, most_tokens = 8192;

CudaJob rotate_into_job(const Turn& t) {
  const int64_t rows = t.tokens * t.dim * 4;  // those that are kept, which are read
  const int64_t bytes = 2 * t.q_bytes() + 4 * t.k_bytes() + rows;
  const int sets = sets_for(bytes);
  const Shared q = make_sets(sets, t.q_bytes()), k = make_sets(sets, t.k_bytes()),
               v = make_sets(sets, t.k_bytes());
  const int64_t cache_bytes = most_tokens * t.k_heads * t.dim * size_of(t.dtype);
  const Shared k_cache = make_sets(sets, cache_bytes), v_cache = make_sets(sets, cache_bytes),
               norms = make_sets(2, t.dim * size_of(t.dtype));
  const SharedBuffer slots = scattered_ids(t.tokens, most_tokens), at = slots;
  const auto work = [=, plan = plan_of(t, most_tokens)](cudaStream_t stream, int set) {
    const auto pages = [&](const Shared& cache) {
      return (*cache)[set].tensor(t.dtype, {most_tokens / page_size, page_size, t.k_heads, t.dim});
    };
    const Tensor queries = t.q((*q)[set]), ids = slots->tensor(DType::i32, {t.tokens});
    rotate_into(plan, {queries, t.k((*k)[set])}, {.q = queries},
                {.norm = {.q = (*norms)[0].tensor(t.dtype, {t.dim}),
                          .k = (*norms)[1].tensor(t.dtype, {t.dim})},
                 .v = t.k((*v)[set]),
                 .cache = {.k = pages(k_cache), .v = pages(v_cache), .slots = ids}},
                positions(at->tensor(DType::i32, {t.tokens})), stream);
  };
  return {work, bytes, Plain::copy, sets,
          t.compared(k_cache, scattered(compared_row(t.tokens), most_tokens))};
}

CudaCase make(const char* verb, CudaJob (*job)(const Turn&), const Turn& t) {
  return {text(verb, " ", to_string(t.dtype), " ", enum_name(t.layout), " ", size_name(t.tokens),
               "x", t.q_heads, "+", t.k_heads, "x", t.dim, t.kept ? " kept" : ""),
          [=] { return job(t); },
          text(verb, " ", to_string(t.dtype), " ", enum_name(t.layout), " ", t.tokens, " ",
               t.q_heads, " ", t.k_heads, " ", t.dim)};
}
CudaCase turned(const Turn& t) { return make(t.back ? "rotate-adjoint" : "rotate", rotate_job, t); }

}  // namespace

std::vector<CudaCase> rotary_cases() {
  using enum Layout;
  std::vector<CudaCase> out;
  for (const bool back : {false, true})
    for (const DType dtype : {DType::bf16, DType::f32})
      for (const Layout layout : {half, interleaved})
        for (const int64_t tokens : {65536, 1 << 20})
          out.push_back(turned({dtype, layout, tokens, false, back}));
  for (const DType dtype : {DType::bf16, DType::f32})
    for (const Layout layout : {half, interleaved}) {
      out.push_back(turned({dtype, layout, 65536, true}));
      out.push_back(turned({dtype, layout, 4096, true}));
      out.push_back(turned({dtype, layout, 4096}));
    }
  for (const Layout layout : {half, interleaved})
    for (const int64_t tokens : {1, 64, 256})
      out.push_back(turned({DType::bf16, layout, tokens, true}));
  for (const int64_t dim : {64, 80, 96, 192, 256})
    out.push_back(turned({DType::bf16, half, 65536, false, false, dim}));
  out.push_back(turned({DType::bf16, half, 65536, false, false, 128, 15, 5}));
  for (const int64_t tokens : {most_tokens, int64_t{1}, int64_t{64}, int64_t{256}})
    out.push_back(make("rotate-into", rotate_into_job, {DType::bf16, half, tokens}));
  return out;
}

}  // namespace posenc::bench
