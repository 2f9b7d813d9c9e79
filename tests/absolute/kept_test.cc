// kept_test.cc: a plan that keeps rows gives what one that makes them gives.
#include <gtest/gtest.h>

#include <cmath>

#include "posenc/posenc.h"
#include "tests/support/message.h"

namespace posenc::kept_test {
namespace {

constexpr int64_t batch = 3, tokens = 700, dim = 75, kept = 600;

std::vector<float> added(const AbsolutePlan& plan, const Positions& at, int64_t count) {
  std::vector<float> x(static_cast<size_t>(batch * count * dim), 0.0f);
  const Tensor t = tensor(x.data(), {batch, count, dim});
  add(plan, t, t, at);
  return x;
}

double difference(const Positions& at, int64_t count) {
  const Sinusoidal scheme{.dim = dim};
  const auto kept_rows = added(prepare(scheme, {.keep = kept}), at, count);
  const auto made = added(prepare(scheme), at, count);
  double most = 0;
  for (size_t i = 0; i < made.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(kept_rows[i]) - made[i]));
  return most;
}

TEST(Kept, IsTheSameRun) { EXPECT_EQ(difference(range(), kept), 0); }

// Each is within 3.1e-8 of the truth, so they are at most twice that apart.
TEST(Kept, StartsAnywhere) {
  EXPECT_LE(difference(range(5), 100), 6.2e-8);
  EXPECT_LE(difference(range(kept - 100), 100), 6.2e-8);
}

TEST(Kept, RowsBeyondAreMade) {
  for (const int64_t beyond : {1, 2, 50, 99, 100})
    EXPECT_LE(difference(range(kept - 100 + beyond), 100), 6.2e-8) << beyond;
  EXPECT_LE(difference(range(-50), 100), 6.2e-8);
  EXPECT_LE(difference(range(int64_t{1} << 31), 100), 6.2e-8);
}

TEST(Kept, ServesIdsThatRun) {
  std::vector<int32_t> ids(50);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(100 + i);
  EXPECT_LE(difference(positions(tensor(ids.data(), {50})), 50), 6.2e-8);
  std::swap(ids[3], ids[40]);
  EXPECT_LE(difference(positions(tensor(ids.data(), {50})), 50), 6.2e-8);
  std::vector<double> real(50, 7.25);
  EXPECT_LE(difference(positions(tensor(real.data(), {50})), 50), 6.2e-8);
}

TEST(Kept, ServesEmbed) {
  const Sinusoidal scheme{.dim = dim};
  std::vector<float> embedding(static_cast<size_t>(9 * dim), 0.5f), out[2];
  std::vector<int32_t> ids(static_cast<size_t>(batch * tokens), 4);
  for (int64_t keep : {int64_t{0}, tokens}) {
    auto& o = out[keep != 0];
    o.resize(static_cast<size_t>(batch * tokens * dim));
    embed(prepare(scheme, {.keep = keep}), tensor(ids.data(), {batch, tokens}),
          tensor(embedding.data(), {9, dim}), tensor(o.data(), {batch, tokens, dim}), {.scale = 3});
  }
  EXPECT_EQ(out[0], out[1]);
}

TEST(Kept, NeedsASensibleCount) {
  EXPECT_THROW(prepare(Sinusoidal{}, {.keep = -1}), Error);
  EXPECT_THROW(prepare(Sinusoidal{}, {.keep = INT64_MAX}), Error);
  expect_message([] { prepare(GridSinusoidal{}, {.keep = 9}); },
                 "[prepare] expected no rows to keep of a scheme of 2 axes, got 9");
}

}  // namespace
}  // namespace posenc::kept_test
