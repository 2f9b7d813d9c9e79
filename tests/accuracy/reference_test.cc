// The reference itself, against numbers worked out elsewhere, six digits each.
#include "reference/rotary_rules.h"
#include "tests/accuracy/contract.h"

namespace posenc::reference_test {
namespace {

void expect_row(const Scheme& scheme, const reference::Weights& weights, const Point& at,
                const std::vector<double>& row) {
  const auto columns = reference::columns(scheme, weights);
  ASSERT_EQ(columns.size(), row.size());
  for (size_t c = 0; c < row.size(); ++c)
    EXPECT_LE(reference::error(row[c], columns[c].value(at)), 5.1e-7) << "column " << c;
}

TEST(Reference, Sinusoidal) {
  const std::vector<double> paper{.141120, -.989992, .295520, .955336,
                                  .029996, .999550,  .003000, .999996};
  expect_row(Sinusoidal{.dim = 8}, {}, {3}, paper);
  expect_row(Sinusoidal{.dim = 8, .offset = 2}, {}, {1}, paper);
  expect_row(Sinusoidal{.dim = 8, .order = Order::halves}, {}, {3},
             {.141120, .295520, .029996, .003000, -.989992, .955336, .999550, .999996});
  expect_row(
      Sinusoidal{.dim = 9, .rule = TimescalesRule{}, .order = Order::halves, .odd = Odd::zero}, {},
      {3}, {.141120, .138798, .006463, .000300, -.989992, .990321, .999979, 1, 0});
  expect_row(Sinusoidal{.dim = 2, .rule = ExplicitRule{{1}, Unit::degrees}, .first = First::cosine},
             {}, {3}, {.998630, .052336});
}

TEST(Reference, FourierFeatures) {
  expect_row(Nerf{.coordinates = 1, .bands = 2}, {}, {0.5},
             {.5, .479426, .877583, .841471, .540302});
  expect_row(Perceiver{.max_resolution = {4}, .bands = 2}, {}, {0.5}, {.5, 1, 0, 0, -1});
  expect_row(Gaussian{.features = 2}, {{.1, .2, .3, -.4}}, {0.25, 0.75},
             {.587785, -.951057, .809017, -.309017});
}

TEST(Reference, Times) {
  expect_row(Time2Vec{.dim = 3}, {{.1, 1, 2}, {0, 0, .5}}, {3}, {.3, .141120, .215120});
  expect_row(Temporal{.dim = 4}, {}, {3}, {-.989992, -.313698, .371148, .731689});
}

// Published worked numbers of rotary schemes: angles, length rules, magnitudes.
TEST(Reference, Rotary) {
  expect_row(Rope{.dim = 4, .layout = Layout::half}, {}, {3},
             {-.989992, .999550, .141120, .029996});
  expect_row(Rope{.dim = 4, .layout = Layout::half, .sign = Sign::negative}, {}, {3},
             {-.989992, .999550, -.141120, -.029996});
  expect_row(Rope{.dim = 4, .layout = Layout::half, .frequencies = LearnedFrequencies{}},
             {{.1, .2, 0, -.5}}, {1, 2}, {.877583, .540302, .479426, -.841471});
  // y has 1 and .01, x has 1 and .01 (Qwen) or .1 and .001 (Pixtral); here the angles at (1, 2).
  const auto angle = [](const Rope& rope, size_t k, const Point& at) {
    const auto columns = reference::columns(rope);
    return reference::nearest_f64(
        atan2(columns[columns.size() / 2 + k].value(at), columns[k].value(at)));
  };
  const Rope qwen{.dim = 8, .layout = Layout::half, .axes = Restart{{2, 2}}};
  const Rope pixtral{.dim = 8, .layout = Layout::half, .axes = Dealt{{2, 2}}};
  const std::vector<double> of_qwen{1, .01, 2, .02}, of_pixtral{1, .01, .2, .002};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(angle(qwen, k, {1, 2}), of_qwen[k], 1e-15);
    EXPECT_NEAR(angle(pixtral, k, {1, 2}), of_pixtral[k], 1e-15);
  }
}

TEST(Reference, LengthRules) {
  const auto expect = [](const Rope& rope, int64_t pair, double w, int64_t length = 0) {
    EXPECT_NEAR(reference::nearest_f64(reference::frequency(rope, pair, length)) / w, 1, 5e-6);
  };
  const Rope llama{.layout = Layout::half, .base = 500000, .scaling = Llama3{}};
  expect(llama, 29, 2.166571e-3), expect(llama, 34, 1.785078e-4);
  const Rope gemma{.dim = 512, .layout = Layout::half, .base = 1e6, .scaling = Proportional{}};
  expect(gemma, 1, .947464);
  EXPECT_EQ(reference::frequency(gemma, 64), 0);
  const auto ratio = [](double base) { return std::pow(base, -1. / 64); };
  expect({.layout = Layout::half, .scaling = Ntk{4}}, 1, ratio(40889.94));
  expect({.layout = Layout::half, .scaling = DynamicNtk{2, 4096}}, 1, ratio(30527.74), 8192);
  expect({.layout = Layout::half, .scaling = VllmNtk{4}}, 0, .978572);
  Rope oss{.dim = 64, .layout = Layout::half, .base = 150000, .scaling = Yarn{.factor = 32}};
  const auto kept = [&](double high, double low) {  // pair 17 between the ends of the ramp
    const double w = std::pow(150000, -17. / 32), r = (17 - low) / (high - low);
    return w * (1 - r) + w / 32 * r;
  };
  expect(oss, 17, kept(18, 8));
  std::get<Yarn>(oss.scaling).truncate = false;
  expect(oss, 17, kept(17.398025, 8.092779));
}

TEST(Reference, Magnitudes) {
  const auto m = [](const Scaling& rule) {
    return reference::nearest_f64(reference::cos_sin_factor(rule, 9999));
  };
  EXPECT_NEAR(m(Yarn{.factor = 32}), 1.346574, 5e-7);
  EXPECT_NEAR(m(Yarn{.factor = 4, .log_coefficient = 0.07}), 1.097041, 5e-7);
  EXPECT_NEAR(m(LongRope{.original_max_position_embeddings = 4096, .factor = 32}), 1.1902380714,
              5e-11);
  const Yarn deepseek{.factor = 40, .mscale = 1, .mscale_all_dim = 1};
  EXPECT_EQ(m(deepseek), 1);
  EXPECT_NEAR(reference::nearest_f64(reference::softmax_factor(deepseek)), 1.873854, 5e-7);
}

TEST(Reference, MeasuresErrors) {
  EXPECT_EQ(reference::error(1, Real(1)), 0);
  EXPECT_EQ(reference::error(1, Real(1) + Real(0x1p-80)), 0x1p-80);
  EXPECT_GT(reference::error(std::bit_cast<double>(uint64_t{0x7ff8} << 48), Real(1)), 1e300);
  EXPECT_EQ(reference::nearest_f32(Real(1) + Real(0x1p-24)), 1);  // a tie
  EXPECT_EQ(reference::nearest_f32(Real(1) + Real(0x1p-24) + Real(0x1p-90)), 1 + 0x1p-23f);
}

}  // namespace
}  // namespace posenc::reference_test
