// bias.cc: score biases, their gradient, and attention with a bias.
#include <posenc/posenc.h>

#include <cstdio>
#include <vector>

int main() {
  const int64_t heads = 8, kv_heads = 2, dim = 64, past = 4096, keys = past + 1;
  std::vector<float> score_data(heads * keys, 0.5f);
  posenc::Tensor scores = posenc::tensor(score_data.data(), {heads, 1, keys});

  auto alibi = posenc::prepare(posenc::Alibi{.heads = heads});
  posenc::ScoreOptions decoding{.queries = posenc::range(past), .causal = true, .scale = 0.125};
  posenc::add(alibi, scores, scores, decoding);  // one query; the cache holds 4096 keys

  std::vector<float> line(heads * (2 * 128 + 1));
  posenc::fill_profile(alibi, posenc::tensor(line.data(), {heads, 2 * 128 + 1}), -128);

  posenc::T5Bias t5{.heads = heads, .bidirectional = false};
  std::vector<float> table_data(32 * heads, 0.1f), gradient_data(32 * heads);
  posenc::Tensor table = posenc::tensor(table_data.data(), {32, heads});
  posenc::Tensor dtable = posenc::tensor(gradient_data.data(), {32, heads});
  auto buckets = posenc::prepare(t5, {.weights = {{table}}});
  posenc::backward(buckets, scores, {{dtable}}, decoding);  // adds to dtable

  std::vector<float> q_data(heads * dim, 0.1f), out_data(heads * dim);
  std::vector<float> cache(keys * kv_heads * dim, 0.2f);
  posenc::Tensor q = posenc::tensor(q_data.data(), {1, heads, dim});
  posenc::Tensor k = posenc::tensor(cache.data(), {keys, kv_heads, dim});
  posenc::Tensor out = posenc::tensor(out_data.data(), {1, heads, dim});
  posenc::attend(alibi, {q, k, k}, out, {.queries = posenc::range(past), .causal = true});

  std::vector<float> h_data(27 * dim, 0.1f), w_data(127 * dim, 0.2f);
  posenc::Tensor table_h = posenc::tensor(h_data.data(), {27, dim});
  posenc::Tensor table_w = posenc::tensor(w_data.data(), {127, dim});
  posenc::Decomposed sam{.dim = dim, .height = 64, .width = 64, .table_height = 14};
  auto offsets = posenc::prepare(sam, {.weights = {{table_h, table_w}}});
  posenc::add(offsets, {.q = q}, scores, scores, {.scale = 0.125});  // one patch against all others

  std::printf("%.4f %.4f %.4f %.4f\n", score_data[0], line[0], gradient_data[0], out_data[0]);
}
