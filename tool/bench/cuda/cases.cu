// cases.cu: the verbs and sizes that matter, as an 8-billion-parameter Llama has them.
#include "bench/cuda/cases.h"

#include <algorithm>

#include "posenc/posenc.h"

namespace posenc::bench {
namespace {

constexpr int64_t cached = int64_t{256} << 20;  // bytes that no cache holds

std::string text(const auto&... parts) {
  std::string out;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) {
      out += std::to_string(part);
    } else {
      out += part;
    }
  };
  (add(parts), ...);
  return out;
}

// A step of decoding finds its few bytes in the cache, where the layer before left them.
int sets_for(int64_t bytes) {
  return bytes < (8 << 20) ? 1 : static_cast<int>(std::clamp<int64_t>(cached / bytes, 1, 16));
}

// A tensor of each set.
struct Sets {
  std::vector<Buffer> all;
  Sets(int count, int64_t bytes) {
    for (int i = 0; i < count; ++i) all.emplace_back(bytes);
  }
  const Buffer& operator[](int i) const { return all[static_cast<size_t>(i) % all.size()]; }
};
using Shared = std::shared_ptr<const Sets>;
Shared make_sets(int count, int64_t bytes) { return std::make_shared<const Sets>(count, bytes); }

struct RotateCase {
  DType dtype;
  Layout layout;
  int64_t tokens;
  bool kept = false, back = false;
  int64_t dim = 128, q_heads = 32, k_heads = 8;
};

std::string size_name(int64_t n) {
  return n % (1 << 20) == 0 ? text(n >> 20, "M") : n % 1024 == 0 ? text(n >> 10, "k") : text(n);
}

CudaCase rotate_case(const RotateCase& c) {
  const std::string name = text(c.back ? "rotate-adjoint " : "rotate ", to_string(c.dtype), " ",
                                enum_name(c.layout), " ", size_name(c.tokens), "x", c.q_heads, "+",
                                c.k_heads, "x", c.dim, c.kept ? " kept" : "");
  const auto make = [c] {
    const int64_t q_bytes = c.tokens * c.q_heads * c.dim * size_of(c.dtype),
                  k_bytes = q_bytes / c.q_heads * c.k_heads;
    const int64_t table = c.kept ? c.tokens * c.dim * 4 : 0;
    const int sets = sets_for(2 * (q_bytes + k_bytes));
    const auto plan = prepare(Rope{.dim = c.dim, .layout = c.layout, .base = 500000},
                              {.keep = c.kept ? c.tokens : 0, .cuda_device = 0});
    const Shared q = make_sets(sets, q_bytes), k = make_sets(sets, k_bytes);
    const auto work = [=](cudaStream_t stream, int set) {
      const QueriesKeys both{(*q)[set].tensor(c.dtype, {c.tokens, c.q_heads, c.dim}),
                             (*k)[set].tensor(c.dtype, {c.tokens, c.k_heads, c.dim})};
      c.back ? rotate_adjoint(plan, both, both, range(), stream)
             : rotate(plan, both, both, range(), stream);
    };
    return CudaJob{work, 2 * (q_bytes + k_bytes) + table, Plain::copy, sets};
  };
  return {name, make,
          c.kept ? ""
                 : text(c.back ? "rotate_adjoint " : "rotate ", to_string(c.dtype), " ",
                        enum_name(c.layout), " ", c.tokens, " ", c.q_heads, " ", c.k_heads, " ",
                        c.dim)};
}

CudaCase fill_case(DType dtype, int64_t tokens, int64_t dim) {
  return {text("fill ", to_string(dtype), " ", size_name(tokens), "x", dim),
          [=] {
            const int64_t bytes = tokens * dim * size_of(dtype);
            const int sets = sets_for(bytes);
            const auto plan = prepare(Sinusoidal{.dim = dim});
            const Shared out = make_sets(sets, bytes);
            return CudaJob{[=](cudaStream_t stream, int set) {
                             fill(plan, (*out)[set].tensor(dtype, {tokens, dim}), range(), stream);
                           },
                           bytes, Plain::fill, sets};
          },
          text("fill ", to_string(dtype), " ", tokens, " ", dim)};
}

CudaCase add_case(DType dtype, int64_t batch, int64_t tokens, int64_t dim) {
  return {text("add ", to_string(dtype), " ", batch, "x", size_name(tokens), "x", dim),
          [=] {
            const int64_t bytes = batch * tokens * dim * size_of(dtype);
            const int sets = sets_for(2 * bytes);
            const auto plan = prepare(Sinusoidal{.dim = dim});
            const Shared x = make_sets(sets, bytes);
            return CudaJob{
                [=](cudaStream_t stream, int set) {
                  add(plan, (*x)[set].tensor(dtype, {batch, tokens, dim}), range(), stream);
                },
                2 * bytes, Plain::rewrite, sets};
          },
          text("add ", to_string(dtype), " ", batch, " ", tokens, " ", dim)};
}

// Ids of a vocabulary, the same on every run.
Buffer ids_of(int64_t count, int64_t vocabulary) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    ids[static_cast<size_t>(i)] =
        static_cast<int32_t>((i * 2654435761 >> 12 & 0xfffff) % vocabulary);
  Buffer out(count * 4);
  check_cuda(cudaMemcpy(out.data(), ids.data(), ids.size() * 4, cudaMemcpyHostToDevice), "ids");
  return out;
}

CudaCase embed_case(DType dtype, int64_t batch, int64_t tokens, int64_t dim) {
  constexpr int64_t vocabulary = 32000;
  return {text("embed ", to_string(dtype), " ", batch, "x", size_name(tokens), "x", dim),
          [=] {
            const int64_t bytes = batch * tokens * dim * size_of(dtype);
            const auto plan = prepare(Sinusoidal{.dim = dim});
            const Shared out = make_sets(sets_for(bytes), bytes),
                         e = make_sets(1, vocabulary * dim * size_of(dtype));
            const auto ids = std::make_shared<const Buffer>(ids_of(batch * tokens, vocabulary));
            return CudaJob{[=](cudaStream_t stream, int set) {
                             embed(plan, ids->tensor(DType::i32, {batch, tokens}),
                                   (*e)[0].tensor(dtype, {vocabulary, dim}),
                                   (*out)[set].tensor(dtype, {batch, tokens, dim}), {.scale = 22},
                                   stream);
                           },
                           2 * bytes + batch * tokens * 4, Plain::copy, sets_for(bytes)};
          },
          text("embed ", to_string(dtype), " ", batch, " ", tokens, " ", dim)};
}

}  // namespace

std::vector<CudaCase> cuda_cases() {
  using enum Layout;
  std::vector<CudaCase> out;
  for (const bool back : {false, true})
    for (const DType dtype : {DType::bf16, DType::f32})
      for (const Layout layout : {half, interleaved})
        for (const int64_t tokens : {65536, 1 << 20})
          out.push_back(rotate_case({dtype, layout, tokens, false, back}));
  for (const DType dtype : {DType::bf16, DType::f32})
    for (const Layout layout : {half, interleaved}) {
      out.push_back(rotate_case({dtype, layout, 65536, true}));
      out.push_back(rotate_case({dtype, layout, 4096, true}));
      out.push_back(rotate_case({dtype, layout, 4096}));
    }
  for (const Layout layout : {half, interleaved})
    for (const int64_t tokens : {1, 64, 256})
      out.push_back(rotate_case({DType::bf16, layout, tokens, true}));
  for (const int64_t dim : {64, 80, 96, 192, 256})
    out.push_back(rotate_case({DType::bf16, half, 65536, false, false, dim}));
  out.push_back(rotate_case({DType::bf16, half, 65536, false, false, 128, 15, 5}));
  out.push_back(fill_case(DType::f32, 1 << 20, 512));
  out.push_back(fill_case(DType::bf16, 1 << 20, 512));
  for (const DType dtype : {DType::f32, DType::bf16}) {
    out.push_back(add_case(dtype, 32, 4096, 1024));
    out.push_back(embed_case(dtype, 32, 4096, 1024));
  }
  return out;
}

}  // namespace posenc::bench
