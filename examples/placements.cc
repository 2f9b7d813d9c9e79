// placements.cc: rotations of values, outputs and hidden states.
#include <posenc/posenc.h>

#include <cstdio>
#include <vector>

namespace {

// A stand-in for attention: each token becomes the mean of all tokens up to it.
void attend(const float* kv, float* out, int64_t tokens, int64_t dim) {
  for (int64_t i = 0; i < tokens; ++i)
    for (int64_t f = 0; f < dim; ++f) {
      float sum = 0;
      for (int64_t j = 0; j <= i; ++j) sum += kv[j * dim + f];
      out[i * dim + f] = sum / static_cast<float>(i + 1);
    }
}

}  // namespace

int main() {
  const int64_t tokens = 6, heads = 2, dim = 8, past = 100;
  std::vector<float> a(tokens * dim, 0.5f), b(tokens * dim, 1), c(tokens * dim);
  std::vector<float> d(tokens * heads * dim, 1), e(tokens * heads * 2 * dim);
  const posenc::Tensor q = posenc::tensor(a.data(), {tokens, 1, dim});
  const posenc::Tensor kv = posenc::tensor(b.data(), {tokens, 1, dim});
  const posenc::Tensor out = posenc::tensor(c.data(), {tokens, 1, dim});
  const posenc::Tensor hidden = posenc::tensor(d.data(), {tokens, heads, dim});
  const posenc::Tensor pairs = posenc::tensor(e.data(), {tokens, heads, 2 * dim});
  auto plan = posenc::prepare(posenc::Rope{.dim = dim, .layout = posenc::Layout::interleaved});

  // DeepSeek-V4: the rotated keys are also the values; each output is rotated back at the
  // position of its query.
  posenc::rotate(plan, {.q = q, .k = kv}, posenc::range(past));
  attend(b.data(), c.data(), tokens, dim);
  posenc::rotate_inverse(plan, {.q = out}, {.q = out}, posenc::range(past));

  // Wav2Vec2-Conformer: the hidden state, viewed as heads, is rotated before W_q and W_k.
  posenc::rotate(plan, {.q = hidden});

  // PoPE: features become lengths of pairs, which are rotated; keys also by learned phases.
  const std::vector<float> phases(dim, -0.5f);
  const posenc::Tensor weights[] = {posenc::tensor(phases.data(), {1, dim})};
  posenc::Rope pope{.dim = 2 * dim, .layout = posenc::Layout::half};
  pope.phases = posenc::LearnedPhases{};
  posenc::to_polar(hidden, pairs, posenc::Layout::half);
  posenc::rotate(posenc::prepare(pope, {.weights = weights}), {.k = pairs});

  std::printf("%.4f %.4f %.4f\n", c[0], d[0], e[0]);
}
