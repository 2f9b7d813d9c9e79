// overlap_test.cc: which views share memory, against a look at every address.
#include "base/overlap.h"

#include <gtest/gtest.h>

#include <set>

#include "posenc/posenc.h"
#include "tests/support/random.h"

namespace posenc::overlap_test {
namespace {

alignas(8) char memory[4096];

Tensor view(DType dtype, int64_t at, std::vector<int64_t> shape, std::vector<int64_t> stride) {
  Tensor t = tensor(memory + at, dtype, shape);
  std::copy(stride.begin(), stride.end(), t.stride.begin());
  return t;
}

// Where each element begins, in bytes.
std::vector<int64_t> addresses(const Tensor& t) {
  std::vector<int64_t> out;
  for (int64_t n = 0; n < t.elements(); ++n) {
    int64_t at = static_cast<char*>(t.data) - memory, rest = n;
    for (int i = t.rank - 1; i >= 0; --i)
      at += rest % t.size(i) * t.step(i) * size_of(t.dtype), rest /= t.size(i);
    out.push_back(at);
  }
  return out;
}

bool repeats_by_hand(const Tensor& t) {
  const auto all = addresses(t);
  return std::set(all.begin(), all.end()).size() < all.size();
}

bool overlap_by_hand(const Tensor& a, const Tensor& b) {
  std::set<int64_t> bytes;
  for (const int64_t at : addresses(a))
    for (int64_t i = 0; i < size_of(a.dtype); ++i) bytes.insert(at + i);
  for (const int64_t at : addresses(b))
    for (int64_t i = 0; i < size_of(b.dtype); ++i)
      if (bytes.contains(at + i)) return true;
  return false;
}

// Any strides, also 0 and negative ones.
Tensor random_view(Random& random) {
  std::vector<int64_t> shape, stride;
  for (int64_t rank = random.integer(1, 4); rank > 0; --rank) {
    shape.push_back(random.integer(random.integer(0, 9) == 0 ? 0 : 1, 5));
    stride.push_back(random.integer(-30, 30));
  }
  const DType dtype = static_cast<DType>(random.integer(0, 5));
  return view(dtype, 8 * random.integer(200, 260) + 2 * random.integer(0, 3), shape, stride);
}

// As engines have them: a part of each axis of a dense block, axes in any order.
Tensor random_slice(Random& random, const std::vector<int64_t>& block, int64_t at) {
  Tensor t = tensor(memory + at, DType::f32, block);
  for (int i = 0; i < t.rank; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t first = random.integer(0, t.size(i) - 1);
    t.data = static_cast<float*>(t.data) + first * t.step(i);
    t.shape[axis] = random.integer(1, t.size(i) - first);
    const int64_t every = random.integer(1, 2);
    t.shape[axis] = (t.shape[axis] + every - 1) / every, t.stride[axis] *= every;
  }
  for (int i = t.rank - 1; i > 0; --i) {
    const auto a = static_cast<size_t>(i), b = static_cast<size_t>(random.integer(0, i));
    std::swap(t.shape[a], t.shape[b]), std::swap(t.stride[a], t.stride[b]);
  }
  return t;
}

// Views of this size need few steps of the search, so its answers are exact.
TEST(Overlap, OfAnyViews) {
  Random random(1);
  int found[2][2] = {};
  for (int i = 0; i < 30000; ++i) {
    const Tensor a = random_view(random), b = random_view(random);
    ASSERT_EQ(repeats(a), repeats_by_hand(a)) << i;
    ASSERT_EQ(overlap(a, b), overlap_by_hand(a, b)) << i;
    ASSERT_EQ(overlap(b, a), overlap(a, b)) << i;
    ++found[0][repeats(a)], ++found[1][overlap(a, b)];
  }
  for (const auto& answers : found)
    for (const int count : answers) EXPECT_GT(count, 1000);
}

TEST(Overlap, OfSlicesOfOneBuffer) {
  Random random(2);
  int found[2] = {};
  for (int i = 0; i < 30000; ++i) {
    const std::vector<int64_t> block{random.integer(1, 4), random.integer(1, 5),
                                     random.integer(1, 4), random.integer(1, 6)};
    const Tensor a = random_slice(random, block, 0), b = random_slice(random, block, 0);
    ASSERT_FALSE(repeats(a)) << i;
    ASSERT_EQ(overlap(a, b), overlap_by_hand(a, b)) << i;
    ++found[overlap(a, b)];
  }
  EXPECT_GT(found[0], 1000);
  EXPECT_GT(found[1], 1000);
}

// Sizes of real models: nothing here may depend on the number of elements.
TEST(Overlap, OfLargeFusedBuffers) {
  constexpr int64_t batch = 64, tokens = 131072, heads = 32, dim = 128, width = 3 * heads * dim;
  const auto part = [](int64_t first) {
    Tensor t = tensor(reinterpret_cast<float*>(uintptr_t{1} << 42), {batch, tokens, heads, dim});
    t.data = static_cast<float*>(t.data) + first;
    t.stride = {tokens * width, width, dim, 1};
    return t;
  };
  const Tensor q = part(0), k = part(heads * dim), v = part(2 * heads * dim);
  for (const Tensor& t : {q, k, v}) EXPECT_FALSE(repeats(t));
  EXPECT_FALSE(overlap(q, k));
  EXPECT_FALSE(overlap(v, k));
  EXPECT_TRUE(overlap(q, q));
  EXPECT_TRUE(overlap(part(heads * dim - 1), k) && overlap(part(1), q));
  Tensor by_head = permuted(q, {0, 2, 1, 3});  // [tokens, heads, 3, dim]
  by_head.stride = {tokens * width, 3 * dim, width, 1};
  Tensor next = by_head;
  next.data = static_cast<float*>(next.data) + dim;
  EXPECT_FALSE(repeats(by_head));
  EXPECT_FALSE(overlap(by_head, next));
  EXPECT_TRUE(overlap(by_head, q));
}

}  // namespace
}  // namespace posenc::overlap_test
