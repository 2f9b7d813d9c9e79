// add.cc: the PositionalEncoding module of tutorials, without a length limit.
#include <posenc/posenc.h>

#include <cstdio>
#include <vector>

int main() {
  const int64_t batch = 32, tokens = 10, dim = 512;
  std::vector<float> data(batch * tokens * dim, 0.5f);
  posenc::Tensor x = posenc::tensor(data.data(), {batch, tokens, dim});

  posenc::Sinusoidal pe{.dim = dim};
  posenc::add(pe, x);  // positions 0, 1, 2, ...

  auto plan = posenc::prepare(pe);               // keep it: calls with a plan allocate nothing
  posenc::add(plan, x, x, posenc::range(4096));  // a KV cache already holds 4096 tokens

  std::printf("%.4f %.4f\n", data[0], data[dim]);
}
