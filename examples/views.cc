// views.cc: strided views of an engine's memory in the axis order that functions expect.
#include <posenc/posenc.h>

#include <cstdio>
#include <vector>

int main() {
  const int64_t batch = 2, heads = 4, tokens = 6, dim = 8;
  const posenc::Rope rope{.dim = dim, .layout = posenc::Layout::half};

  // [batch, heads, tokens, dim], as in PyTorch's attention; nothing is copied.
  std::vector<float> memory(batch * heads * tokens * dim, 0.5f);
  posenc::Tensor by_head = posenc::tensor(memory.data(), {batch, heads, tokens, dim});
  posenc::Tensor q = posenc::permuted(by_head, {0, 2, 1, 3});  // [batch, tokens, heads, dim]

  // A fused projection, [batch, tokens, 3, heads, dim]: q, k and v of a token side by side.
  std::vector<float> fused(batch * tokens * 3 * heads * dim, 0.5f);
  auto part = [&](int64_t n) {
    posenc::Tensor t = posenc::tensor(fused.data() + n * heads * dim, {batch, tokens, heads, dim});
    t.stride = {tokens * 3 * heads * dim, 3 * heads * dim, dim, 1};
    return t;
  };

  auto plan = posenc::prepare(rope);
  posenc::rotate(plan, {.q = q});
  posenc::rotate(plan, {part(0), part(1)});  // views of one buffer that share no element

  try {
    posenc::rotate(plan, {part(0), part(0)});
  } catch (const posenc::Error& error) {
    std::printf("%s\n", error.what());
  }
  std::printf("%.4f %.4f\n", memory[dim], fused[3 * heads * dim]);  // token 1, equal
}
