// identify_test.cc: every preset is recognised, and what is no such table is not.
#include <gtest/gtest.h>

#include <limits>

#include "posenc/absolute.h"
#include "tests/inspect/tables.h"
#include "tests/support/message.h"

namespace posenc::identify_test {
namespace {

Element plain_paper() {
  return [](double p, int64_t c, int64_t d) { return paper(p, c, d); };
}

Sinusoidal preset(std::string_view name, int64_t dim) {
  for (const auto& p : Sinusoidal::presets())
    if (p.name == name) {
      Sinusoidal s = p.value;
      s.dim = dim;
      return s;
    }
  return {};
}

bool names(const Match& m, std::string_view preset) {
  return m.match == preset || contains(m.also, preset);
}

// But for those whose rows depend on a whole table, or begin before it.
TEST(Identify, EveryPreset) {
  for (const auto& preset : Sinusoidal::presets()) {
    if (preset.value.normalize_rows || preset.value.offset < 0) continue;
    for (const int64_t dim : {8, 33, 64, 96, 512})
      for (const int64_t offset : {0, 1, 77}) {
        SCOPED_TRACE(testing::Message() << preset.name << " dim " << dim << " offset " << offset);
        Sinusoidal s = preset.value;
        if (preset.name != "degrees") s.dim = dim;
        s.offset += offset;
        Array table = make_array(DType::f32, {100, s.dim});
        fill(s, table.view());
        const Match m = identify(table.view());
        EXPECT_TRUE(names(m, preset.name)) << m.match << ": " << m.sentence;
        EXPECT_EQ(m.scheme.offset, s.offset) << m.sentence;
        EXPECT_EQ(m.mistake.empty(), offset == 0) << m.sentence;
        EXPECT_LE(m.error, 3.1e-8);  // the accuracy contract of f32 rows
      }
  }
}

// PatchTST's table, and numbers of the same mean and deviation.
TEST(Identify, NormalizedTables) {
  Random random(5);
  for (const DType dtype : {DType::f32, DType::f64, DType::f16})
    for (const auto& [rows, dim] : {std::pair{5, 4}, {42, 128}, {300, 64}, {63, 33}}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << dim);
      Sinusoidal s = preset("patchtst", dim);
      s.normalize_rows = rows;
      Array table = make_array(dtype, {rows, dim});
      fill(s, table.view());
      const Match m = identify(table.view());
      EXPECT_EQ(m.match, "patchtst") << m.sentence;
      EXPECT_EQ(m.mistake, "");
      EXPECT_EQ(m.scheme.normalize_rows, rows);
      EXPECT_EQ(m.command, "posenc table sinusoidal --dim " + std::to_string(dim) +
                               " --normalize_rows " + std::to_string(rows) +
                               " --positions 0:" + std::to_string(rows));
      for (int64_t n = 0; n < rows * dim; ++n)
        set(table.view(), n, random.real(-std::sqrt(0.03), std::sqrt(0.03)));
      EXPECT_EQ(identify(table.view()).match, "");
    }
}

TEST(Identify, AnyBase) {
  for (const char* name : {"paper", "marian", "tensor2tensor", "per-column", "mlx"})
    for (const double base : {1000.0, 20000.0, 500000.0, 12345.5}) {
      SCOPED_TRACE(testing::Message() << name << " base " << base);
      Sinusoidal s = preset(name, 64);
      s.base = base;
      Array table = make_array(DType::f64, {200, 64});
      fill(s, table.view());
      const Match m = identify(table.view());
      EXPECT_TRUE(names(m, name)) << m.sentence;
      EXPECT_EQ(m.mistake, "wrong-base");
      EXPECT_EQ(m.scheme.base, base) << m.sentence;
    }
}

TEST(Identify, SaysWhatIsTheSame) {
  Array table = make_array(DType::f32, {50, 384});
  fill(preset("whisper", 384), table.view());
  const Match m = identify(table.view());
  EXPECT_EQ(m.match, "tensor2tensor");
  EXPECT_EQ(m.also, (std::vector<std::string>{"whisper", "ddpm", "pyg"}));
}

TEST(Identify, EveryTypeOfNumber) {
  for (const DType dtype : float_types)
    for (const int64_t rows : {2, 20, 700}) {
      const Match m = identified(rows, 64, plain_paper(), dtype);
      EXPECT_EQ(m.match, "paper") << to_string(dtype) << rows << m.sentence;
      EXPECT_EQ(m.mistake, "") << to_string(dtype) << rows << m.sentence;
      // Phases of the loops above are doubles: within 700 * 2^-50 of the truth.
      EXPECT_LE(m.error, dtype == DType::f64 ? 700 * 0x1p-50 : 1.01 * half_ulp(dtype, 0.999));
    }
}

TEST(Identify, AnyStridesAndAxes) {
  Array wide = make_table(90, 50, [](double p, int64_t c, int64_t) { return paper(p, c / 2, 24); });
  Tensor t = wide.view();  // every second column of the first 48
  t.shape[1] = 24, t.stride[1] = 2;
  EXPECT_EQ(identify(t).match, "paper");

  Array table = make_table(60, 32, plain_paper());
  for (const auto& shape :
       std::vector<std::vector<int64_t>>{{1, 60, 32}, {60, 1, 32}, {1, 1, 60, 1, 32}})
    EXPECT_EQ(identify(tensor(table.bytes.data(), DType::f32, shape)).match, "paper");

  Tensor batch = tensor(table.bytes.data(), DType::f32, std::vector<int64_t>{3, 60, 32});
  batch.stride[0] = 0;  // three times the same table
  EXPECT_EQ(identify(batch).match, "paper");
  EXPECT_EQ(identify(batch).mistake, "");

  std::swap(t.shape[0], t.shape[1]), std::swap(t.stride[0], t.stride[1]);
  EXPECT_EQ(identify(t).match, "paper");
  EXPECT_EQ(identify(t).mistake, "transposed");
}

TEST(Identify, PositionsAlongTheBatch) {
  const auto by_batch = [](double p, int64_t c, int64_t) { return paper(p, c % 16, 16); };
  Array table = make_table(40, 5 * 16, by_batch);
  const Match m = identify(tensor(table.bytes.data(), DType::f32, std::vector<int64_t>{40, 5, 16}));
  EXPECT_EQ(m.match, "paper");
  EXPECT_EQ(m.mistake, "batch-axis");
}

TEST(Identify, DamagedTables) {
  const auto damaged = [](int64_t row, double with) {
    return identified(200, 32, [=](double p, int64_t c, int64_t d) {
      return p == static_cast<double>(row) ? with : paper(p, c, d);
    });
  };
  EXPECT_EQ(damaged(0, 0).mistake, "padding-row");
  EXPECT_EQ(damaged(123, 0.5).mistake, "rows-differ");
  EXPECT_NE(damaged(123, 0.5).sentence.find("row 123 differs"), std::string::npos);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    const Match m = damaged(17, bad);
    EXPECT_EQ(m.match, "paper");
    EXPECT_EQ(m.mistake, "not-finite");
    EXPECT_NE(m.sentence.find("row 17, column 0"), std::string::npos) << m.sentence;
    EXPECT_LE(m.error, 3.1e-8);
  }
}

TEST(Identify, FairseqWeightsHaveAZeroRow) {
  Array table = make_array(DType::f32, {64, 48});
  fill(preset("tensor2tensor", 48), table.view());
  for (int64_t c = 0; c < 48; ++c) set(table.view(), 48 + c, 0);
  const Match m = identify(table.view());
  EXPECT_EQ(m.match, "fairseq");
  EXPECT_EQ(m.mistake, "");
}

TEST(Identify, NotSinusoidal) {
  Random random(7);
  for (const double size : {0.02, 1.0}) {
    const Match m =
        identified(300, 64, [&](double, int64_t, int64_t) { return random.real(-size, size); });
    EXPECT_EQ(m.match, "");
    EXPECT_EQ(m.mistake, "");
    EXPECT_GE(m.error, 0.1);
  }
  const Match m = identified(30, 16, [](double, int64_t c, int64_t d) { return paper(3, c, d); });
  EXPECT_EQ(m.match, "");
  EXPECT_EQ(m.mistake, "constant-rows");
}

TEST(Identify, TooShortToTell) {
  const Match m = identified(1, 64, plain_paper());
  EXPECT_EQ(m.match, "paper");
  EXPECT_TRUE(contains(m.also, "per-column") && contains(m.also, "raw-index"));
  EXPECT_NE(m.sentence.find("too short"), std::string::npos) << m.sentence;
}

TEST(Identify, HostileTables) {
  float x = 0.3f;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(identify(tensor(&nan, {1, 1})).mistake, "not-finite");
  EXPECT_EQ(identify(tensor(&x, {1, 1})).match, "");
  const Array zeros = make_array(DType::f32, {9, 5});
  EXPECT_EQ(identify(zeros.view()).mistake, "constant-rows");
  expect_message([&] { identify(tensor(&x, {0, 4})); }, "expected a table with elements");
  EXPECT_EQ(identify(tensor(&x, {1})).match, "");
  Tensor scalar = tensor(&x, {1});
  scalar.rank = 0;
  expect_message([&] { identify(scalar); }, "[identify] expected table");
  int32_t i = 0;
  expect_message([&] { identify(tensor(&i, {1, 1})); }, "got i32 [1, 1]");
  for (const int64_t rows : {1, 2, 3})
    for (const int64_t dim : {1, 2, 3}) identified(rows, dim, plain_paper());
}

TEST(Identify, LargeTables) {
  Array table = make_array(DType::f32, {16384, 1024});
  fill(Sinusoidal{.dim = 1024, .base = 1000}, table.view());
  EXPECT_EQ(identify(table.view()).mistake, "wrong-base");
}

// A search that finds nothing ends: rows of a grid of 14 x 14 with a base of its own, some columns
// of which stand still for 14 rows, and random numbers in odd shapes.
TEST(Identify, ASearchInVainEnds) {
  const auto grid = [](bool down_first) {
    return [=](double p, int64_t c, int64_t d) {
      const bool down = (c < d / 2) == down_first;
      const double at = 0.93 * (down ? std::floor(p / 14) : std::fmod(p, 14));
      const int64_t k = c % (d / 4), half = c % (d / 2) / (d / 4);
      return wave(half, at * power(static_cast<double>(k) / static_cast<double>(d / 4)));
    };
  };
  Random random(3);
  const auto noise = [&](double, int64_t, int64_t) { return random.real(-1, 1); };
  for (const DType dtype : {DType::f32, DType::f16})
    for (const bool down_first : {false, true})
      EXPECT_EQ(identified(196, 192, grid(down_first), dtype).match, "");
  for (const auto& [rows, dim] : {std::pair{400000, 4}, {4, 100000}, {2048, 256}})
    EXPECT_EQ(identified(rows, dim, noise).match, "");
}

}  // namespace
}  // namespace posenc::identify_test
