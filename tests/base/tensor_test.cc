// tensor_test.cc: views, their names in messages, errors, and the number of threads.
#include "posenc/tensor.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "posenc/posenc.h"
#include "tests/support/message.h"
#include "tests/support/threads.h"

namespace posenc::tensor_test {
namespace {

TEST(Tensor, WrapsContiguousMemory) {
  double numbers[24] = {};
  const Tensor t = tensor(numbers, {2, 3, 4});
  EXPECT_EQ(t.data, numbers);
  EXPECT_EQ(t.dtype, DType::f64);
  EXPECT_EQ(t.rank, 3);
  EXPECT_EQ(t.elements(), 24);
  EXPECT_EQ(t.size(-1), 4);
  EXPECT_EQ(t.size(0), 2);
  EXPECT_EQ(t.step(0), 12);
  EXPECT_EQ(t.step(1), 4);
  EXPECT_EQ(t.step(-1), 1);
}

TEST(Tensor, KnowsItsType) {
  EXPECT_EQ(dtype_of<const float>, DType::f32);
  EXPECT_EQ(dtype_of<F16>, DType::f16);
  EXPECT_EQ(dtype_of<BF16>, DType::bf16);
  EXPECT_EQ(dtype_of<int32_t>, DType::i32);
  EXPECT_EQ(dtype_of<int64_t>, DType::i64);
  EXPECT_EQ(size_of(DType::bf16), 2);
  EXPECT_EQ(size_of(DType::i64), 8);
  EXPECT_EQ(compute_type(DType::f16), DType::f32);
  EXPECT_EQ(compute_type(DType::f64), DType::f64);
}

TEST(Tensor, IsNamedInMessages) {
  EXPECT_EQ(describe(tensor<float>(nullptr, {2, 10, 512})), "f32 [2, 10, 512]");
  EXPECT_EQ(describe(tensor<BF16>(nullptr, {0})), "bf16 [0]");
  EXPECT_EQ(describe(Tensor{}), "f32 []");
  EXPECT_EQ(describe(Tensor{.rank = 77}), "a tensor of rank 77");
}

TEST(Tensor, OfConstMemoryIsReadOnly) {
  const double read[4] = {};
  double written[4] = {};
  EXPECT_TRUE(tensor(read, {4}).read_only);
  EXPECT_FALSE(tensor(written, {4}).read_only);
  EXPECT_FALSE(Tensor{}.read_only);
  EXPECT_EQ(Tensor{}.device_index, 0);
}

TEST(Error, PrintsNumbersAsStreamsDo) {
  std::ostringstream all;
  const auto say = [&](const auto&... parts) {
    all.str("");
    (all << ... << parts);
    EXPECT_EQ(message([&] { fail("here", parts...); }), "[here] " + all.str());
  };
  say("a", std::string("b"), std::string_view("c"), 'd', -1, 2u, -3l, 4ul, -5ll, 6ull);
  say(true, short{-7}, size_t{9}, INT64_MIN, UINT64_MAX);
  for (const double x : {0.0, -0.0, 1.0, 0.1, 1e6, 123456.0, 1234567.0, 1e-5, 1.5e300, 5e-324})
    say(x, ' ', -x, ' ', static_cast<float>(x));
  say(1 / 3.0, std::numeric_limits<double>::infinity());
}

TEST(Error, SaysWhatItIsAbout) {
  const auto kind = [](auto f) {
    try {
      f();
    } catch (const Error& error) {
      return error.kind;
    }
    return ErrorKind::data;
  };
  EXPECT_EQ(kind([] { fail("here", "anything"); }), ErrorKind::argument);
  EXPECT_EQ(kind([] { fail(ErrorKind::option, "here", "anything"); }), ErrorKind::option);
  EXPECT_EQ(kind([] { make_scheme("sinusoidl"); }), ErrorKind::option);
  EXPECT_EQ(kind([] { make_scheme("rope", {{"dim", "many"}}); }), ErrorKind::option);
  EXPECT_EQ(kind([] { tensor<float>(nullptr, {-1}); }), ErrorKind::tensor);
  EXPECT_EQ(kind([] { add(Sinusoidal{.dim = 4}, Tensor{}); }), ErrorKind::tensor);
}

TEST(Tensor, ShowsItsAxesInAnotherOrder) {
  double numbers[24] = {};
  const Tensor t = tensor(numbers, {2, 3, 4}), p = permuted(t, {2, 0, 1});
  EXPECT_EQ(p.data, numbers);
  EXPECT_EQ(p.rank, 3);
  for (const auto& [axis, from] : {std::pair{0, 2}, {1, 0}, {2, 1}}) {
    EXPECT_EQ(p.size(axis), t.size(from));
    EXPECT_EQ(p.step(axis), t.step(from));
  }
  const char* once = "[permuted] expected each axis from 0 to 2 once, got ";
  expect_message([&] { permuted(t, {0, 1, 1}); }, once);
  expect_message([&] { permuted(t, {0, 1, 3}); }, once);
  expect_message([&] { permuted(t, {0, -1, 2}); }, once);
  expect_message([&] { permuted(t, {0, 1}); }, "as many axes as the tensor has, got 2 for f64 [2,");
}

TEST(Tensor, RefusesSizesThatDoNotFit) {
  const int64_t big = int64_t{1} << 31;
  expect_message([] { tensor<float>(nullptr, {2, -1}); }, "expected sizes of at least 0, got -1");
  expect_message([&] { tensor<float>(nullptr, {big, big}); }, "expected a size that fits 64 bits");
  expect_message(
      [] {
        tensor<float>(nullptr, {1, 1, 1, 1, 1, 1, 1, 1, 1});
      },
      "expected at most 8 axes, got 9");
  EXPECT_EQ(tensor<float>(nullptr, {big, 0, big}).elements(), 0);
}

TEST(Threads, AreAtLeastOne) {
  const int before = threads();
  EXPECT_GE(before, 1);
  {
    const Threads use(3);
    EXPECT_EQ(threads(), 3);
    for (int bad : {0, -1, 1025})
      expect_message([&] { set_threads(bad); }, "[threads] expected 1 to 1024 threads, got ");
    EXPECT_EQ(threads(), 3);
  }
  EXPECT_EQ(threads(), before);
}

}  // namespace
}  // namespace posenc::tensor_test
