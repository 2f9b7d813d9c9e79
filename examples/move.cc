// move.cc: moves cached keys to other positions, or to another length rule.
#include <posenc/posenc.h>

#include <cstdio>
#include <vector>

int main() {
  const int64_t kept = 3840, kv_heads = 2, dim = 64;
  std::vector<float> keys(kept * kv_heads * dim, 0.25f);
  posenc::Tensor cache = posenc::tensor(keys.data(), {kept, kv_heads, dim});
  posenc::Rope rope{.dim = dim,
                    .layout = posenc::Layout::half,
                    .scaling = posenc::DynamicNtk{.factor = 2, .max_position_embeddings = 4096}};

  // The oldest 256 tokens were dropped: the positions of the others decrease by 256.
  auto plan = posenc::prepare(rope, {.length = 4096});
  posenc::move(plan, posenc::range(256), plan, posenc::range(0), cache);

  // The text has grown to 8192 tokens, so the base has changed.
  auto longer = posenc::prepare(rope, {.length = 8192});
  posenc::move(plan, posenc::range(), longer, posenc::range(), cache);

  std::printf("%.4f\n", keys[0]);
}
