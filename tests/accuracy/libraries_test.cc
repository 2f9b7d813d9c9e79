// The order in which diffusers, whisper and timm round, against their own numbers
// (golden/torch_f32.py). An order of roundings is right where every exponent is the library's to
// the bit, and only its exp or pow, which are within an ulp, may differ in the last bit.
#include <bit>

#include "tests/accuracy/contract.h"
#include "tests/accuracy/torch_golden.h"

namespace posenc::libraries_test {
namespace {

std::vector<double> radians_of(const std::vector<Frequency>& frequencies) {
  std::vector<double> out;
  for (const Frequency& f : frequencies) out.push_back(radians(f));
  return out;
}

// How far two lists of f32 are apart: the most in units of the last place, and how many differ.
struct Apart {
  int32_t most = 0;
  size_t count = 0;
};
Apart apart(const std::vector<double>& ours, const std::vector<double>& theirs) {
  Apart out;
  EXPECT_EQ(ours.size(), theirs.size());
  for (size_t k = 0; k < std::min(ours.size(), theirs.size()); ++k) {
    const auto a = static_cast<float>(ours[k]), b = static_cast<float>(theirs[k]);
    const int32_t units = std::abs(std::bit_cast<int32_t>(a) - std::bit_cast<int32_t>(b));
    out.most = std::max(out.most, units), out.count += units != 0;
  }
  return out;
}

Sinusoidal rounded_preset(std::string_view name, int64_t dim) {
  Sinusoidal s;
  for (const auto& preset : Sinusoidal::presets())
    if (preset.name == name) s = preset.value;
  s.dim = dim, s.numerics = Numerics::torch_f32;
  return s;
}

Sinusoidal diffusers(int64_t dim, int64_t shift) {
  Sinusoidal s = rounded_preset("diffusers", dim);
  if (shift == 1) s.rule = TimescalesRule{};
  return s;
}

Sinusoidal other_order(Sinusoidal s) {
  s.exponent =
      s.exponent == Exponent::slope_first ? Exponent::product_first : Exponent::slope_first;
  return s;
}

// One ulp with the right order. With the other, exponents up to log(10^4) = 9.2 are off by up to an
// ulp, 2^-20, and frequencies by as much of themselves: several ulp. Where n is a power of two, or
// pairs are few, both orders may give the same.
void expect_order(const Sinusoidal& s, const std::vector<double>& theirs, bool orders_differ) {
  const Apart right = apart(radians_of(s.frequencies()), theirs);
  EXPECT_LE(right.most, 1);
  if (!orders_differ) return;
  const Apart wrong = apart(radians_of(other_order(s).frequencies()), theirs);
  EXPECT_GT(wrong.most, 1);
  EXPECT_GT(wrong.count, right.count);
}

TEST(Libraries, DiffusersFrequencies) {
  for (const int64_t dim : {8, 128, 320, 322, 1000})
    for (const int64_t shift : {0, 1}) {
      SCOPED_TRACE(testing::Message() << dim << ", shift " << shift);
      const bool power_of_two = dim == 128 && shift == 0;
      expect_order(diffusers(dim, shift),
                   golden("diffusers " + std::to_string(dim) + " " + std::to_string(shift)),
                   dim > 8 && !power_of_two);
    }
}

TEST(Libraries, WhisperFrequencies) {
  for (const int64_t dim : {8, 384, 512, 1280}) {
    SCOPED_TRACE(dim);
    expect_order(rounded_preset("whisper", dim), golden("whisper " + std::to_string(dim)), dim > 8);
  }
}

// Their sine is within an ulp, 6e-8 below 1, and ours within 3.1e-8. Where a frequency is theirs
// but for an ulp, 2^-23 of it, the angle is off by as much of itself and by the rounding of both
// products.
TEST(Libraries, DiffusersTables) {
  const Array& steps = golden().at("diffusers steps");
  const Tensor at = steps.view();
  for (const int64_t shift : {0, 1}) {
    const Sinusoidal s = diffusers(320, shift);
    const Array ours = make_array(DType::f32, {at.size(0), s.dim});
    fill(s, ours.view(), positions(at));
    const auto theirs = golden("diffusers table " + std::to_string(shift));
    const auto frequency = radians_of(s.frequencies());
    for (int64_t i = 0; i < ours.view().elements(); ++i) {
      const double angle = get(at, i / s.dim) * frequency[static_cast<size_t>(i % s.dim % 160)];
      EXPECT_NEAR(get(ours.view(), i), theirs[static_cast<size_t>(i)], 1e-7 + angle * 0x1p-22);
    }
  }
}

std::vector<double> bands(int64_t count, double size, bool linear, Numerics numerics) {
  const Rope rope{.dim = 2 * count,
                  .layout = Layout::half,
                  .frequencies = Pixels{size, linear},
                  .numerics = numerics};
  const RotaryPlan plan = prepare(rope);
  return radians_of(plan.frequencies());
}

// Linear bands are theirs to the bit. The power of the others is within an ulp of theirs, which can
// be two of the product with pi, and both products are rounded: three. Rounding the exact bands
// once is no better, and wrong more often.
TEST(Libraries, PixelBandsOfTimm) {
  size_t wrong = 0, wrong_once = 0;
  for (const int64_t count : {1, 2, 7, 16, 17, 48})
    for (const int64_t size : {100, 224, 320}) {
      const std::string name = std::to_string(count) + " " + std::to_string(size);
      SCOPED_TRACE(name);
      for (const bool linear : {true, false}) {
        const auto theirs = golden((linear ? "timm linear " : "timm powers ") + name);
        const double side = static_cast<double>(size);
        const Apart now = apart(bands(count, side, linear, Numerics::torch_f32), theirs);
        EXPECT_LE(now.most, linear ? 0 : 3);
        wrong += now.count;
        wrong_once += apart(bands(count, side, linear, Numerics::exact), theirs).count;
      }
    }
  EXPECT_LT(wrong, wrong_once);
}

}  // namespace
}  // namespace posenc::libraries_test
