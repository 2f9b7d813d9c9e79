// rotate_into.cc: a serving step: normalises and rotates heads and writes them to a paged cache.
#include <posenc/posenc.h>

#include <cstdio>
#include <vector>

int main() {
  const int64_t tokens = 3, heads = 16, kv_heads = 8, dim = 128, pages = 64, page_size = 16;
  std::vector<float> queries(tokens * heads * dim, 0.5f), keys(tokens * kv_heads * dim, 0.25f);
  std::vector<float> values(tokens * kv_heads * dim, 0.125f), q_gain(dim, 1.5f), k_gain(dim, 2.0f);
  std::vector<posenc::BF16> cached_keys(pages * page_size * kv_heads * dim);
  std::vector<posenc::BF16> cached_values(pages * page_size * kv_heads * dim);
  posenc::Tensor q = posenc::tensor(queries.data(), {tokens, heads, dim});
  posenc::Tensor k = posenc::tensor(keys.data(), {tokens, kv_heads, dim});
  posenc::Tensor v = posenc::tensor(values.data(), {tokens, kv_heads, dim});
  posenc::Tensor q_norm = posenc::tensor(q_gain.data(), {dim});
  posenc::Tensor k_norm = posenc::tensor(k_gain.data(), {dim});
  posenc::Tensor k_pages = posenc::tensor(cached_keys.data(), {pages, page_size, kv_heads, dim});
  posenc::Tensor v_pages = posenc::tensor(cached_values.data(), {pages, page_size, kv_heads, dim});

  // Two texts of 40 and 7 tokens get one token each; the last token is padding.
  std::vector<int32_t> places{40, 7, 0}, slots{9 * page_size + 40 % page_size, 7, -1};
  posenc::Tensor at = posenc::tensor(places.data(), {tokens});
  posenc::Tensor slot_of_each = posenc::tensor(slots.data(), {tokens});

  auto plan =
      posenc::prepare(posenc::Rope{.dim = dim, .layout = posenc::Layout::half, .base = 1'000'000});
  posenc::rotate_into(plan, {q, k}, {.q = q},  // q in place; k only to the cache
                      {.norm = {.q = q_norm, .k = k_norm},
                       .v = v,
                       .cache = {.k = k_pages, .v = v_pages, .slots = slot_of_each}},
                      posenc::positions(at));

  std::printf("%.4f %04x %04x\n", queries[0], cached_keys[slots[0] * kv_heads * dim].bits,
              cached_values[slots[1] * kv_heads * dim].bits);
}
