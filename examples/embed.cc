// embed.cc: tokens -> embedding -> + position in one pass, and the gradient of the embedding.
#include <posenc/posenc.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const int64_t vocabulary = 1000, batch = 2, tokens = 3, dim = 8;
  std::vector<float> table(vocabulary * dim, 0.25f), out(batch * tokens * dim);
  std::vector<int32_t> ids{7, 8, 9, 7, 7, 1};

  auto plan = posenc::prepare(posenc::Sinusoidal{.dim = dim});
  posenc::embed(plan, posenc::tensor(ids.data(), {batch, tokens}),
                posenc::tensor(table.data(), {vocabulary, dim}),
                posenc::tensor(out.data(), {batch, tokens, dim}),
                {.scale = std::sqrt(static_cast<double>(dim))});

  std::vector<float> dout(out.size(), 1.0f), dtable(table.size());
  posenc::embed_backward(posenc::tensor(ids.data(), {batch, tokens}),
                         posenc::tensor(dout.data(), {batch, tokens, dim}),
                         posenc::tensor(dtable.data(), {vocabulary, dim}));
  std::printf("token 7 occurs three times: %.0f\n", dtable[7 * dim]);
}
