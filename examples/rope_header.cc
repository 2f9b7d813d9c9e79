// rope_header.cc: RoPE with posenc_rope.h alone, without the library.
#include <cstdio>
#include <vector>

#include "posenc_rope.h"

int main() {
  // Llama 3.1, with the weights of Hugging Face
  posenc_rope::Rope rope{.dim = 128,
                         .layout = posenc_rope::Layout::half,
                         .base = 500000,
                         .scaling = posenc_rope::Llama3{}};
  posenc_rope::Table table(rope);
  std::vector<float> cosine(table.pairs()), sine(table.pairs()), head(128, 1.0f);
  table.fill(1'000'000, cosine.data(), sine.data());  // exact at any position
  table.rotate(head.data(), cosine.data(), sine.data());
  std::printf("%.6f %.6f\n", head[0], head[64]);
}
