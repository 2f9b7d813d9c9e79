// Numbers worked out by hand or by others, to the last digit they were printed with.
#include "tests/rotary/worked.h"

namespace posenc::worked_test {
namespace {

TEST(Worked, FourWaysToTurnTheSameVector) {
  const auto turn = [](Layout layout, Sign sign = Sign::positive) {
    return turned({.dim = 4, .layout = layout, .sign = sign}, {1, 2, 3, 4}, {3});
  };
  expect_numbers(turn(Layout::interleaved), {-1.272233, -1.838865, 2.878668, 4.088187});
  expect_numbers(turn(Layout::half), {-1.413353, 1.879118, -2.828857, 4.058191});
  expect_numbers(turn(Layout::half, Sign::negative), {-0.566632, 2.119082, -3.111097, 3.938209});
  expect_numbers(turn(Layout::interleaved_in_half_out), {-1.272233, 2.878668, -1.838865, 4.088187});
}

TEST(Worked, RowsFromHalfToInterleaved) {
  const HeadSpan span{.heads = 2, .dim = 8};
  const std::vector<int64_t> order{0, 4, 1, 5, 2, 6, 3, 7};
  EXPECT_EQ(layout_order(Layout::half, Layout::interleaved, span), order);
  std::vector<double> rows(16), out(16), expected;
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(i);
  convert_layout(tensor(rows.data(), {16}), tensor(out.data(), {16}), Layout::half,
                 Layout::interleaved, span);
  for (const int64_t head : {0, 8})
    for (const int64_t row : order) expected.push_back(static_cast<double>(head + row));
  EXPECT_EQ(out, expected);
}

// The angle of every pair of a half layout, from where (1, 0) goes.
std::vector<double> angles(const Rope& rope, const std::vector<double>& at) {
  const auto n = static_cast<size_t>(rope.pairs());
  std::vector<double> x(2 * n), out;
  for (size_t k = 0; k < n; ++k) x[k] = 1;
  x = turned(rope, x, at);
  for (size_t k = 0; k < n; ++k) out.push_back(std::atan2(x[k + n], x[k]));
  return out;
}

TEST(Worked, TemperatureOfLlama4) {
  const Rope still{
      .dim = 2, .layout = Layout::half, .rotary_dim = 0, .temperature = LogTemperature{}};
  const auto factor = [&](double p) { return turned(still, {1, 1}, {p})[0]; };
  EXPECT_EQ(factor(8190), 1);
  expect_numbers({factor(8191), factor(131071)}, {1.069315, 1.283321});
  EXPECT_EQ(turned(still, {1, 1}, {131071}, Which::key)[0], 1);
}

// The axis of each of 64 pairs as a letter.
std::string letters(const AxisRule& rule, std::string_view names) {
  Rope rope = half_rope(128);
  rope.axes = rule;
  const RotaryPlan plan = prepare(rope);
  std::string out;
  for (const PairAxis& p : plan.pairs()) out += names[static_cast<size_t>(p.axis)];
  return out;
}
std::string repeated(int count, const std::string& part) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

TEST(Worked, AxesOfPairs) {
  EXPECT_EQ(letters(Chunked{{{16, 24, 24}}}, "THW"),
            repeated(16, "T") + repeated(24, "H") + repeated(24, "W"));
  EXPECT_EQ(letters(Alternating{{{24, 20, 20}}}, "THW"), repeated(20, "THW") + "TTTT");
  EXPECT_EQ(letters(ErnieAxes{{{22, 22, 20}}}, "THW"), repeated(22, "HW") + repeated(20, "T"));
  EXPECT_EQ(letters(Balanced{{{24, 20, 20}}}, "THW"),
            "THWTHWTHWTHWTHWTHWTHWTHTWTHWTHWTHWTHWTHWTHWTHTWTHWTHWTHWTHWTHWTT");
  // llama.cpp leaves the rest of the alternating sections to a fourth axis.
  std::vector<double> ggml;
  for (int k = 0; k < 61; ++k) ggml.push_back(k % 3);
  ggml.insert(ggml.end(), {3, 3, 0});
  EXPECT_EQ(letters(ListedAxes{ggml}, "THWE"), repeated(20, "THW") + "TEET");
}

TEST(Worked, AxesInTurnWhoseFrequenciesBeginAnew) {
  Rope rope{.dim = 16, .layout = Layout::half, .axes = InTurn{{{4, 4}}}};
  expect_numbers(frequencies(rope), {1, 1, 0.1, 0.1, 0.01, 0.01, 0.001, 0.001}, 1e-14);
  rope.axes = InTurn{{{2, 5, 1}}};
  std::string axes;
  for (const PairAxis& p : pair_axes(rope.axes, 8)) axes += "THW"[p.axis];
  EXPECT_EQ(axes, "THWTHHHH");
  rope.axes = InTurn{{{3, 5}}}, rope.frequencies = AxisPowers{{20, 10000}};
  const auto f = frequencies(rope);
  EXPECT_NEAR(f[2], std::pow(20, -1.0 / 3), 1e-15);
  EXPECT_NEAR(f[7], std::pow(10000, -4.0 / 5), 1e-15);
}

Rope preset(std::string_view name) {
  for (const auto& preset : Rope::presets())
    if (preset.name == name) return preset.value;
  throw std::runtime_error("no such preset");
}

// The formulas of transformers' modules, written again.
TEST(Worked, PresetsOfSeveralAxes) {
  const Rope atoms = preset("esmfold2"), kimi = preset("kimi-vision");
  const auto of_atoms = frequencies(atoms), of_kimi = frequencies(kimi);
  for (size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(of_atoms[k], std::pow(20, -static_cast<double>(k % 2) / 2), 1e-15);
  for (size_t k = 6; k < 16; ++k)
    EXPECT_NEAR(of_atoms[k], std::pow(10000, -static_cast<double>(k - 6) / 10), 1e-15);
  for (size_t k = 0; k < 36; ++k)
    EXPECT_NEAR(of_kimi[k], std::pow(10000, -static_cast<double>(k / 2) / 18), 1e-15);

  const Rope music = preset("musicflamingo");
  const double seconds = 37.12, window = 3, frame = 412, turn = 2 * M_PI;
  std::vector<double> x(1280);
  for (size_t k = 0; k < 256; ++k) x[2 * k] = 1;
  x = turned(music, x, {seconds * window / 1200, seconds * frame * turn / 1200});
  for (size_t k = 0; k < 256; ++k) {
    const double w = std::pow(1200, -static_cast<double>(k % 128) / 128);
    const double angle =
        (k < 128 ? window / 1200 * w : frame / 1200 * turn * w) * (-seconds * turn);
    EXPECT_NEAR(x[2 * k], std::cos(angle), 1e-11);  // the angle, up to 503, in doubles
    EXPECT_NEAR(x[2 * k + 1], std::sin(angle), 1e-11);
  }
}

TEST(Worked, PairThatLlamaCppDoesNotTurn) {
  EXPECT_NEAR(262143 * frequencies(half_rope(128, 5e6))[61], 0.108, 0.0005);
}

TEST(Worked, AnglesOfGrids) {
  Rope rope = half_rope(8);
  rope.axes = Restart{{{2, 2}}};
  expect_numbers(angles(rope, {1, 2}), {1, 0.01, 2, 0.02}, 1e-14);
  rope.axes = Dealt{{{2, 2}}};
  expect_numbers(frequencies(rope), {1, 0.01, 0.1, 0.001}, 1e-14);
  rope.axes = Restart{{{2, 2}}};
  rope.base = 100, rope.frequencies = Powers{.unit = Unit::turns};
  const auto dino = angles(rope, {-0.5, 0.5});
  expect_numbers({dino[1], dino[2], dino[3]}, {-0.314159, 3.141593, 0.314159});
  EXPECT_NEAR(std::abs(dino[0]), 3.141593, 5e-7);  // half a turn either way
  rope.frequencies = Pixels{.max_res = 224};
  const auto pixels = frequencies(rope);
  EXPECT_NEAR(pixels[0], 3.141593, 5e-7);
  EXPECT_NEAR(pixels[1], 351.858, 0.0005);
}

// What two standing pairs of a query at 2 and a key at 0 are multiplied by together.
std::vector<double> decay(double scale_base, double distance) {
  Rope rope{.dim = 4, .layout = Layout::interleaved, .decay = XPos{.scale_base = scale_base}};
  rope.frequencies = ListedFrequencies{{0, 0}};
  const auto q = turned(rope, {1, 0, 1, 0}, {distance + 7});
  const auto k = turned(rope, {1, 0, 1, 0}, {7}, Which::key);
  return {q[0] * k[0], q[2] * k[2]};
}

TEST(Worked, XPos) {
  expect_numbers(decay(1, 1), {0.285714, 0.642857});
  expect_numbers(decay(512, 2), {0.995118, 0.998276});
  expect_numbers(decay(2048, 2), {0.998777, 0.999569});
}

}  // namespace
}  // namespace posenc::worked_test
