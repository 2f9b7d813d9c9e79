// rotate.cc: rotates the queries and keys of an attention layer by their positions.
#include <posenc/posenc.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const int64_t batch = 2, tokens = 5, heads = 32, kv_heads = 8, dim = 128, past = 4096;
  std::vector<float> queries(batch * tokens * heads * dim, 0.5f);
  std::vector<float> keys(batch * tokens * kv_heads * dim, 0.25f);
  posenc::Tensor q = posenc::tensor(queries.data(), {batch, tokens, heads, dim});
  posenc::Tensor k = posenc::tensor(keys.data(), {batch, tokens, kv_heads, dim});

  posenc::Rope rope{
      .dim = dim, .layout = posenc::Layout::half, .base = 500000, .scaling = posenc::Llama3{}};
  auto plan = posenc::prepare(rope);                  // once, for all layers that share it
  posenc::rotate(plan, {q, k}, posenc::range(past));  // in place; the cache holds 4096 tokens
  double scale = plan.softmax_factor() / std::sqrt(static_cast<double>(dim));

  posenc::rotate_adjoint(plan, {q, k}, {q, k}, posenc::range(past));  // the gradient

  std::printf("%.4f %.4f %.4f\n", queries[0], keys[0], scale);
}
