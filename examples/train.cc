// train.cc: one attention head learns to look three tokens back; no framework, our gradients.
//
// The task: for each token, name the token three positions before it. The probability of an answer
// is the sum of the attention weights of all keys that hold it. What is learned is where to attend:
// a bias for each distance (T5), or one query and one key that RoPE rotates.
#include <posenc/posenc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

constexpr int64_t vocabulary = 16, back = 3, dim = 32;

// Turns scores into softmax weights over the keys up to the query, then into their gradient.
struct Result {
  double loss = 0, right = 0;
};
Result attend(const std::vector<int>& text, std::vector<float>& scores) {
  const auto n = static_cast<int64_t>(text.size());
  Result result;
  for (int64_t i = 0; i < n; ++i) {
    float* row = &scores[i * n];
    double sum = 0, chance = 0, best = 0;
    std::vector<double> of(vocabulary);
    for (int64_t j = 0; j <= i; ++j) sum += std::exp(row[j]);
    for (int64_t j = 0; j <= i; ++j) of[text[j]] += std::exp(row[j]) / sum;
    const int answer = i < back ? -1 : text[i - back];
    if (answer >= 0) chance = of[answer];
    for (double c : of) best = std::max(best, c);
    for (int64_t j = 0; j < n; ++j) {
      const double weight = j <= i ? std::exp(row[j]) / sum : 0;
      const double wanted = answer >= 0 && text[j] == answer ? weight / chance : 0;
      row[j] = answer >= 0 ? static_cast<float>((weight - wanted) / static_cast<double>(n)) : 0;
    }
    if (answer < 0) continue;
    result.loss -= std::log(chance) / static_cast<double>(n - back);
    result.right += (chance == best) / static_cast<double>(n - back);
  }
  return result;
}

// A bias for each bucket of distances, added to scores of 0; backward() is its gradient.
struct Biased {
  std::vector<float> weights = std::vector<float>(32), gradient = weights;

  Result step(const std::vector<int>& text) {
    const auto n = static_cast<int64_t>(text.size());
    const auto plan = posenc::prepare(posenc::T5Bias{.heads = 1, .bidirectional = false},
                                      {.weights = {{posenc::tensor(weights.data(), {32, 1})}}});
    std::vector<float> scores(n * n);
    const posenc::Tensor view = posenc::tensor(scores.data(), {1, n, n});
    posenc::add(plan, view, view);
    const Result result = attend(text, scores);
    posenc::backward(plan, view, {{posenc::tensor(gradient.data(), {32, 1})}});
    return result;
  }
};

// One query and one key for all tokens, rotated by their positions; the adjoint is the gradient.
struct Rotated {
  std::vector<float> weights = std::vector<float>(2 * dim, 0.3f), gradient = weights;

  Result step(const std::vector<int>& text) {
    const auto n = static_cast<int64_t>(text.size());
    const auto plan =
        posenc::prepare(posenc::Rope{.dim = dim, .layout = posenc::Layout::half, .base = 100});
    std::vector<float> q(n * dim), k(n * dim), dq(n * dim), dk(n * dim), scores(n * n);
    for (int64_t e = 0; e < n * dim; ++e) q[e] = weights[e % dim], k[e] = weights[dim + e % dim];
    auto heads = [&](std::vector<float>& x) { return posenc::tensor(x.data(), {n, 1, dim}); };
    posenc::rotate(plan, {heads(q), heads(k)});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j)
        for (int64_t c = 0; c < dim; ++c) scores[i * n + j] += q[i * dim + c] * k[j * dim + c];
    const Result result = attend(text, scores);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j)
        for (int64_t c = 0; c < dim; ++c) {
          dq[i * dim + c] += scores[i * n + j] * k[j * dim + c];
          dk[j * dim + c] += scores[i * n + j] * q[i * dim + c];
        }
    posenc::rotate_adjoint(plan, {heads(dq), heads(dk)}, {heads(dq), heads(dk)});
    for (int64_t e = 0; e < n * dim; ++e)
      gradient[e % dim] += dq[e], gradient[dim + e % dim] += dk[e];
    return result;
  }
};

template <class Model>
double train(const char* name, Model model, float rate) {
  std::mt19937 random(1);
  auto text = [&](size_t n) {
    std::vector<int> ids(n);
    for (int& id : ids) id = static_cast<int>(random() % vocabulary);
    return ids;
  };
  for (int step = 0; step < 1000; ++step) {
    std::fill(model.gradient.begin(), model.gradient.end(), 0.0f);
    const Result result = model.step(text(16));
    for (size_t w = 0; w < model.weights.size(); ++w) model.weights[w] -= rate * model.gradient[w];
    if (step % 250 == 0) std::printf("%-8s step %4d  loss %.2f\n", name, step, result.loss);
  }
  double right = 0;
  for (int trial = 0; trial < 20; ++trial) right += model.step(text(128)).right / 20;
  std::printf("%-8s trained on 16 tokens, right on texts of 128: %.0f %%\n", name, 100 * right);
  return right;
}

int main() {
  const double biased = train("t5", Biased{}, 3.0f);
  const double rotated = train("rope", Rotated{}, 0.1f);
  return biased > 0.95 && rotated > 0.95 ? 0 : 1;
}
