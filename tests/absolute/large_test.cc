// large_test.cc: tensors past 2^31 elements, without the memory they would take.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "posenc/posenc.h"
#include "tests/support/elements.h"
#include "tests/support/threads.h"

namespace posenc::large_test {
namespace {

constexpr int64_t far = (int64_t{1} << 32) + 13, away = (int64_t{1} << 31) + 7;

// Address space of which only the pages that are touched exist; null when it is not to be had.
class Space {
 public:
  explicit Space(int64_t bytes) : bytes_(static_cast<size_t>(bytes)) {
    data_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data_ == MAP_FAILED) data_ = nullptr;
  }
  ~Space() {
    if (data_) ::munmap(data_, bytes_);
  }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  char* data() const { return static_cast<char*>(data_); }

  // [2, 3, 5] (or [2, 5]) with more than 2^31 elements between neighbours; forwards or backwards.
  Tensor view(DType dtype, int rank, int sign) const {
    Tensor t{data_, dtype, Device::cpu, rank, {2, 3, 5}, {sign * far, sign * away, 3}};
    if (rank == 2) t.shape = {2, 5}, t.stride = {sign * far, 3};
    if (sign < 0) t.data = data() + (far + 2 * away) * size_of(dtype);
    return t;
  }

 private:
  size_t bytes_;
  void* data_;
};

class Large : public testing::Test {
 protected:
  void SetUp() override {
    if (!a_.data() || !b_.data()) GTEST_SKIP() << "this machine lends no 72 GB of address space";
  }
  Space a_{(far + 2 * away + 100) * 4}, b_{(far + 2 * away + 100) * 4};
};

TEST_F(Large, VerbsReachEveryElement) {
  Random random(1);
  const auto plan = prepare(Sinusoidal{.dim = 5});
  std::vector<float> x(30), truth(30), embedding(10);
  for (float& v : x) v = static_cast<float>(random.real());
  for (int sign : {1, -1}) {
    const Tensor from = a_.view(DType::f32, 3, sign), to = b_.view(DType::f32, 3, -sign);
    const Tensor small_x = tensor(x.data(), {2, 3, 5}), small = tensor(truth.data(), {2, 3, 5});
    for (int64_t n = 0; n < 30; ++n) set(from, n, x[static_cast<size_t>(n)]);
    fill(plan, to), fill(plan, small);
    EXPECT_EQ(numbers(to), numbers(small));
    add(plan, from, to), add(plan, small_x, small);
    EXPECT_EQ(numbers(to), numbers(small));
    const int32_t ids[] = {0, 1, 1, 1, 0, 1};
    const Tensor token = tensor(ids, {2, 3}), rows = a_.view(DType::f32, 2, sign);
    const Tensor small_rows = tensor(embedding.data(), {2, 5});
    randomize(rows, random);
    for (int64_t n = 0; n < 10; ++n)
      embedding[static_cast<size_t>(n)] = static_cast<float>(get(rows, n));
    embed(plan, token, rows, to, {3}), embed(plan, token, small_rows, small, {3});
    EXPECT_EQ(numbers(to), numbers(small));
    embed_backward(token, to, rows, 3), embed_backward(token, small, small_rows, 3);
    EXPECT_EQ(numbers(rows), numbers(small_rows));
  }
}

TEST_F(Large, LearnedTablesToo) {
  Random random(2);
  const Learned s{.dim = 5, .rows = 2};
  const Tensor table = a_.view(DType::f32, 2, 1), sum = b_.view(DType::f32, 2, -1);
  randomize(table, random), randomize(sum, random, 0, 0);
  std::vector<float> out(15), resized(15);
  const int64_t ids[] = {1, 0, 1};
  const auto plan = prepare(s, {.weights = std::span(&table, 1)});
  const Tensor rows = tensor(out.data(), {3, 5});
  fill(plan, rows, positions(tensor(ids, {3})));
  for (int64_t n = 0; n < 15; ++n) EXPECT_EQ(get(rows, n), get(table, ids[n / 5] * 5 + n % 5));
  backward(plan, rows, std::span(&sum, 1), positions(tensor(ids, {3})));
  for (int64_t c = 0; c < 5; ++c) {
    EXPECT_EQ(get(sum, c), get(rows, 5 + c));
    EXPECT_EQ(get(sum, 5 + c), get(rows, c) + get(rows, 10 + c));  // twice the same number
  }
  resize(table, tensor(resized.data(), {3, 5}), Resize::repeat);
  for (size_t n = 0; n < 15; ++n) EXPECT_EQ(resized[n], get(table, static_cast<int64_t>(n % 10)));
}

TEST_F(Large, ShiftToo) {
  Random random(3);
  const Shift m = shift(Sinusoidal{.dim = 5, .odd = Odd::zero}, 7);
  const Tensor rows = a_.view(DType::f32, 3, -1), out = b_.view(DType::f32, 3, 1);
  randomize(rows, random);
  std::vector<float> in(30), small(30);
  for (int64_t n = 0; n < 30; ++n) in[static_cast<size_t>(n)] = static_cast<float>(get(rows, n));
  m.apply(rows, out), m.apply(tensor(in.data(), {2, 3, 5}), tensor(small.data(), {2, 3, 5}));
  for (int64_t n = 0; n < 30; ++n) EXPECT_EQ(get(out, n), small[static_cast<size_t>(n)]);
}

// 2^31 + 1024 elements whose pages are all the same 2 MiB: what remains is what came last.
TEST(LargeFill, FillsMoreThanTwoToThe31Elements) {
  const int64_t dim = 1024, window = 1024, tokens = (int64_t{1} << 21) + 1;
  const size_t page = static_cast<size_t>(dim * window) * sizeof(F16);
  const Space space((tokens + window) * dim * 2);
  const int file = ::memfd_create("posenc", 0);
  if (!space.data() || file < 0) GTEST_SKIP() << "this machine lends no 4 GiB of address space";
  ASSERT_EQ(::ftruncate(file, static_cast<off_t>(page)), 0);
  for (int64_t at = 0; at < tokens; at += window)
    ASSERT_NE(::mmap(space.data() + at * dim * 2, page, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED, file, 0),
              MAP_FAILED);
  const Threads one(1);
  const auto plan = prepare(Sinusoidal{.dim = dim});
  const int64_t first = (int64_t{1} << 31) - 5000;
  fill(plan, tensor(reinterpret_cast<F16*>(space.data()), {tokens, dim}), range(first));
  std::vector<F16> last(static_cast<size_t>(dim));
  for (int64_t row : {tokens - window, tokens - 700, tokens - 2, tokens - 1}) {
    fill(plan, tensor(last.data(), {1, dim}), range(first + row));
    const Tensor left = tensor(reinterpret_cast<F16*>(space.data()) + row * dim, {dim});
    const Tensor right = tensor(last.data(), {dim});
    for (int64_t c = 0; c < dim; ++c)  // by a run, and alone: each within the contract
      ASSERT_NEAR(get(left, c), get(right, c), 2 * row_error(DType::f16, 1)) << row << " " << c;
  }
  ::close(file);
}

}  // namespace
}  // namespace posenc::large_test
