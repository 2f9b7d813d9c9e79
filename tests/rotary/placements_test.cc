// placements_test.cc: rotation in other places than queries and keys.
#include <gtest/gtest.h>

#include "posenc/positions/chunks.h"
#include "posenc/rotary.h"
#include "tests/support/elements.h"

namespace posenc::placements_test {
namespace {

constexpr int64_t tokens = 5, dim = 8;
using Numbers = std::vector<double>;

Tensor heads(const Numbers& x) {
  return tensor(const_cast<double*>(x.data()), {1, tokens, 1, dim});
}

Numbers random_numbers(int64_t count, Random& random) {
  Numbers out(static_cast<size_t>(count));
  for (double& x : out) x = random.real();
  return out;
}

// Values turned where they stand, their mean over weights turned back where the query stands.
Numbers mean_of_values(const Numbers& values, const Numbers& weights, int64_t first) {
  const RotaryPlan plan = prepare(Rope{.dim = dim, .layout = Layout::half});
  Numbers turned = values, out(values.size());
  rotate(plan, {.k = heads(turned)}, range(first));
  for (size_t i = 0; i < tokens; ++i)
    for (size_t j = 0; j < tokens; ++j)
      for (size_t c = 0; c < dim; ++c)
        out[i * dim + c] += weights[i * tokens + j] * turned[j * dim + c];
  rotate_inverse(plan, {.q = heads(out)}, {.q = heads(out)}, range(first));
  return out;
}

TEST(Placements, ValuesAndOutputsDependOnDistancesAlone) {
  Random random(1);
  const Numbers values = random_numbers(tokens * dim, random),
                weights = random_numbers(tokens * tokens, random);
  const Numbers here = mean_of_values(values, weights, 3),
                there = mean_of_values(values, weights, 3000);
  for (size_t n = 0; n < here.size(); ++n)  // two turns within 4e-16 each, of 5 numbers below 2
    EXPECT_NEAR(here[n], there[n], 64 * 4e-16);
  // Alone with itself, a token has its value back.
  Numbers itself(tokens * tokens);
  for (size_t i = 0; i < tokens; ++i) itself[i * tokens + i] = 1;
  const Numbers same = mean_of_values(values, itself, 7);
  for (size_t n = 0; n < same.size(); ++n) EXPECT_NEAR(same[n], values[n], 4 * 4e-16);
}

double score(const Numbers& q, const Numbers& k, size_t i, size_t j) {
  double sum = 0;
  for (size_t c = 0; c < dim; ++c) sum += q[i * dim + c] * k[j * dim + c];
  return sum;
}

// Scores inside a chunk are those of plain positions, whatever came before.
TEST(Placements, ScoresInsideAChunkAreTheUsualOnes) {
  Random random(2);
  const RotaryPlan plan = prepare(Rope{.dim = dim, .layout = Layout::interleaved});
  const Numbers q = random_numbers(tokens * dim, random), k = random_numbers(tokens * dim, random);
  Numbers plain_q = q, plain_k = k, chunk_q = q, chunk_k = k;
  rotate(plan, {.q = heads(plain_q), .k = heads(plain_k)}, range(12));
  const ChunkPositions at = dual_chunk(range(12, tokens), {8, 2});  // one chunk: 12 to 17
  rotate(plan, {.q = heads(chunk_q)}, at.intra), rotate(plan, {.k = heads(chunk_k)}, at.keys);
  for (size_t i = 0; i < tokens; ++i)
    for (size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(score(chunk_q, chunk_k, i, j), score(plain_q, plain_k, i, j), 8 * 4 * 4e-16);
}

// The hidden state turns before W_q and W_k make queries and keys of it: scores then depend on more
// than the distance, unless the projections keep pairs as they are.
TEST(Placements, BeforeTheProjectionsPlacesAreAbsolute) {
  Random random(3);
  const RotaryPlan plan = prepare(Rope{.dim = dim, .layout = Layout::half});
  const Numbers hidden = random_numbers(tokens * dim, random),
                project = random_numbers(dim * dim, random);
  const auto score_at = [&](int64_t first, bool projects) {
    Numbers x = hidden, q(x.size());
    rotate(plan, {.q = heads(x)}, range(first));
    for (size_t t = 0; t < tokens; ++t)
      for (size_t i = 0; i < dim; ++i)
        for (size_t j = 0; j < dim; ++j)
          q[t * dim + i] += (projects ? project[i * dim + j] : i == j ? 1 : 0) * x[t * dim + j];
    return score(q, x, 3, 1);
  };
  EXPECT_NEAR(score_at(0, false), score_at(40, false), 8 * 4 * 4e-16);
  EXPECT_GT(std::abs(score_at(0, true) - score_at(40, true)), 1e-3);
}

// LongRoPE's first tokens keep the frequencies of training: two plans, each for its tokens.
TEST(Placements, StartTokensTurnByAPlanOfTheirOwn) {
  Random random(4);
  Rope rope{.dim = dim, .layout = Layout::half};
  const RotaryPlan trained = prepare(rope);
  rope.scaling = LongRope{.short_factor = {1, 1, 1, 1}, .long_factor = {1, 2, 3, 4}, .factor = 32};
  const RotaryPlan scaled = prepare(rope, {.length = 100000});
  const int64_t start = 2;
  const Numbers x = random_numbers(tokens * dim, random);
  Numbers y = x, all = x, none = x;
  const auto part = [&](int64_t first, int64_t count) {
    return tensor(y.data() + first * dim, {1, count, 1, dim});
  };
  rotate(trained, {.k = part(0, start)}, range(0));
  rotate(scaled, {.k = part(start, tokens - start)}, range(start));
  rotate(trained, {.k = heads(none)}), rotate(scaled, {.k = heads(all)});
  for (size_t n = 0; n < y.size(); ++n) EXPECT_EQ(y[n], (n < start * dim ? none : all)[n]);
}

// V-JEPA 2's neighbours in features: numbers of a pair turn by the angles of different pairs, so
// that it takes two plans and one number of each pair from either.
Numbers jepa(Numbers x, double position) {
  const Rope even{
      .dim = 4, .layout = Layout::interleaved, .frequencies = ListedFrequencies{{1, 1}}},
      odd{.dim = 4, .layout = Layout::interleaved, .frequencies = ListedFrequencies{{0.01, 0.01}}};
  Numbers second = x;
  const auto turn = [&](const Rope& rope, Numbers& y) {
    rotate(prepare(rope), {.q = tensor(y.data(), {1, 1, 4})},
           positions(tensor(&position, {1, 1, 1})));
  };
  turn(even, x), turn(odd, second);
  return {x[0], second[1], x[2], second[3]};
}

TEST(Placements, VJepaIsNoRotation) {
  const Numbers one = jepa({1, 0, 0, 0}, 1), two = jepa({0, 1, 0, 0}, 1);
  const double determinant = one[0] * two[1] - two[0] * one[1];  // of each pair
  EXPECT_NEAR(determinant * determinant, 0.301, 5e-4);
  const double printed[] = {-0.587, -0.967, -0.917};
  for (int p = 1; p <= 3; ++p) {
    const Numbers q = jepa({1, 0.5, -0.3, 0.8}, p), k = jepa({0.2, -0.7, 0.4, 0.1}, p - 1);
    EXPECT_NEAR(q[0] * k[0] + q[1] * k[1] + q[2] * k[2] + q[3] * k[3], printed[p - 1], 5e-4);
  }
}

// The presets, of heads of 64, against the code of V-JEPA 2: 20 features for each axis, whose
// angles are repeated behind each other while pairs are neighbours; the last 4 stay.
TEST(Placements, VJepaPresets) {
  Random random(9);
  const auto preset = [](std::string_view name) {
    for (const auto& p : Rope::presets())
      if (p.name == name) return prepare(p.value);
    throw std::out_of_range("no preset");
  };
  const double place[] = {3, 11, 7};
  const Numbers x = random_numbers(64, random);
  Numbers first = x, second = x;
  const auto at = positions(tensor(place, {3, 1, 1}));
  rotate(preset("v-jepa2"), {.q = tensor(first.data(), {1, 1, 64})}, at);
  rotate(preset("v-jepa2-second"), {.q = tensor(second.data(), {1, 1, 64})}, at);
  for (size_t f = 0; f < 64; ++f) {
    const double got = (f % 2 == 0 ? first : second)[f];
    if (f >= 60) {
      EXPECT_EQ(got, x[f]);
      continue;
    }
    const double angle = place[f / 20] * std::pow(10000, -static_cast<double>(f % 20 % 10) / 10);
    const double other = f % 2 == 0 ? -x[f + 1] : x[f - 1];
    EXPECT_NEAR(got, x[f] * std::cos(angle) + other * std::sin(angle), 1e-14) << f;
  }
}

}  // namespace
}  // namespace posenc::placements_test
