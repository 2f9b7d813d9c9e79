// bounded_test.cc: files made to be slow take no longer than their size.
#include <ctime>

#include "tests/model/files.h"

namespace posenc::model::bounded_test {
namespace {

template <class F>
double seconds_of(const F& f) {
  const std::clock_t before = std::clock();
  f();
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

// Every key makes a note. Where each was compared with all before it, these took minutes.
TEST(Bounded, ManyKeysThatNothingReads) {
  constexpr size_t count = 150'000;
  std::string json = R"({"model_type": "llama", "num_attention_heads": 4, "hidden_size": 256)";
  for (size_t i = 0; i < count; ++i) json += ", \"rope_" + std::to_string(i) + "\": 1";
  json += "}";
  Model model;
  const double seconds = seconds_of([&] { model = read_config(json); });
  EXPECT_GE(model.notes.size(), count);
  EXPECT_LT(seconds, 20);
}

TEST(Bounded, ManyKeysOfGguf) {
  constexpr size_t count = 60'000;
  GgufFile file = gguf("llama");
  for (size_t i = 0; i < count; ++i) file.u32("llama.rope.x" + std::to_string(i), 1);
  Model model;
  const double seconds = seconds_of([&] { model = file.read(); });
  EXPECT_GE(model.notes.size(), count);
  EXPECT_LT(seconds, 8);
}

TEST(Bounded, PathsWithAZeroByteAreRefused) {
  expect_message([] { read(std::string("config.json\0x", 13)); }, "a path without a zero byte");
}

}  // namespace
}  // namespace posenc::model::bounded_test
