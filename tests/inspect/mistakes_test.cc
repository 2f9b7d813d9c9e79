// mistakes_test.cc: each classic mistake, made on purpose by plain code, gets its name.
#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "tests/inspect/tables.h"

namespace posenc::mistakes_test {
namespace {

constexpr double pi = std::numbers::pi;

struct Case {
  const char *match, *mistake;
  Element value;
  std::function<void(const Match&)> more = [](const Match&) {};
};

double k_of(int64_t c) { return static_cast<double>(c / 2); }
double d_of(int64_t d) { return static_cast<double>(d); }

// An interleaved table with this exponent.
Element with_exponent(std::function<double(int64_t c, double d)> exponent) {
  return [=](double p, int64_t c, int64_t d) { return wave(c, p * power(exponent(c, d_of(d)))); };
}
Element at_position(std::function<double(double p)> position) {
  return [=](double p, int64_t c, int64_t d) { return paper(position(p), c, d); };
}
Element based(double base) {
  return [=](double p, int64_t c, int64_t d) { return paper(p, c, d, base); };
}
auto has_base(double base) {
  return [=](const Match& m) { EXPECT_EQ(m.scheme.base, base) << m.sentence; };
}

const Case cases[] = {
    {"paper", "wrong-base", based(1000), has_base(1000)},
    {"paper", "wrong-base", based(500000), has_base(500000)},
    {"paper", "wrong-base", based(12345.5), has_base(12345.5)},
    {"paper", "doubled-exponent",
     with_exponent([](int64_t c, double d) { return 4 * k_of(c) / d; })},
    {"paper", "halved-exponent", with_exponent([](int64_t c, double d) { return k_of(c) / d; })},
    {"paper", "shifted-exponent",
     with_exponent([](int64_t c, double d) { return 2 * (k_of(c) + 1) / d; })},
    {"paper", "half-shifted-exponent",
     with_exponent([](int64_t c, double d) { return (2 * k_of(c) + 1) / d; })},
    {"paper", "exponent-over-dim-minus-1",
     with_exponent([](int64_t c, double d) { return 2 * k_of(c) / (d - 1); })},
    {"paper", "exponent-over-half-minus-1",
     with_exponent([](int64_t c, double d) { return k_of(c) / (d / 2 - 1); })},
    {"paper", "missing-minus", with_exponent([](int64_t c, double d) { return -2 * k_of(c) / d; })},
    {"paper", "integer-division", with_exponent([](int64_t, double) { return 0; })},
    {"paper", "log10-for-log",
     [](double p, int64_t c, int64_t d) {
       return wave(c, p * std::exp(-2 * k_of(c) * std::log10(10000) / d_of(d)));
     }},
    {"paper", "shifted-cosine-exponent", with_exponent([](int64_t c, double d) {
       return 2 * (k_of(c) + static_cast<double>(c % 2)) / d;
     })},
    {"paper", "swapped-sine-cosine",
     [](double p, int64_t c, int64_t d) { return wave(c + 1, p * power(2 * k_of(c) / d_of(d))); }},
    {"paper", "halves-for-interleaved",
     [](double p, int64_t c, int64_t d) {
       return wave(c, p * power(2 * static_cast<double>(c % (d / 2)) / d_of(d)));
     }},
    {"marian", "interleaved-for-halves",
     [](double p, int64_t c, int64_t d) {
       return wave(c < d / 2 ? 0 : 1, p * power(2 * k_of(c) / d_of(d)));
     }},
    {"paper", "only-sines",
     [](double p, int64_t c, int64_t d) { return std::sin(p * power(2 * k_of(c) / d_of(d))); }},
    {"paper", "only-cosines",
     [](double p, int64_t c, int64_t d) { return std::cos(p * power(2 * k_of(c) / d_of(d))); }},
    {"paper", "off-by-one-position", at_position([](double p) { return p + 1; }),
     [](const Match& m) { EXPECT_EQ(m.scheme.offset, 1); }},
    {"paper", "position-offset", at_position([](double p) { return p + 77; }),
     [](const Match& m) { EXPECT_EQ(m.scheme.offset, 77); }},
    {"paper", "degrees", at_position([](double p) { return p * pi / 180; })},
    {"paper", "degrees-as-radians", at_position([](double p) { return p * 180 / pi; })},
    {"paper", "negated-sine", at_position([](double p) { return -p; })},
    {"paper", "scaled-positions", at_position([](double p) { return p / 7; }),
     [](const Match& m) { EXPECT_EQ(m.scheme.position_scale, 1 / 7.0); }},
    {"paper", "scaled",
     [](double p, int64_t c, int64_t d) { return std::sqrt(d_of(d)) * paper(p, c, d); },
     [](const Match& m) {
       EXPECT_EQ(m.scheme.amplitude(), std::sqrt(d_of(m.scheme.dim)));
       EXPECT_NE(m.sentence.find("sqrt(dim)"), std::string::npos) << m.sentence;
     }},
    {"paper", "scaled", [](double p, int64_t c, int64_t d) { return -0.37 * paper(p, c, d); },
     [](const Match& m) { EXPECT_EQ(m.scheme.scale, -0.37); }},
    {"paper", "wrong-base+off-by-one-position",
     [](double p, int64_t c, int64_t d) { return paper(p + 1, c, d, 1000); }, has_base(1000)},
    {"per-column", "wrong-base",
     [](double p, int64_t c, int64_t d) {
       return wave(c, p * power(static_cast<double>(c) / d_of(d), 1000));
     },
     has_base(1000)},
};

// Caches of rotary cosines, of sines, and of both in turn are the same numbers.
bool is_rotary_too(std::string_view mistake) {
  return mistake == "swapped-sine-cosine" || mistake == "only-sines" || mistake == "only-cosines";
}

// A double is within 2e-13 of the formula here (its phase below 3e5, the exponent's rounding times
// 10), so the table is the formula rounded to f32: half a unit in the last place below its
// amplitude.
TEST(Mistakes, HaveNames) {
  for (const int64_t dim : {16, 64, 96})
    for (const int64_t rows : {40, 301})
      for (const Case& c : cases) {
        SCOPED_TRACE(testing::Message() << c.mistake << " dim " << dim << " rows " << rows);
        const Match m = identified(rows, dim, c.value);
        if (is_rotary_too(c.mistake)) {
          EXPECT_EQ(m.match, "rope") << m.sentence;
          EXPECT_TRUE(contains(m.also, std::string(c.match) + " with " + c.mistake));
          continue;
        }
        EXPECT_EQ(m.match, c.match) << m.sentence;
        EXPECT_EQ(m.mistake, c.mistake) << m.sentence;
        EXPECT_LE(m.error, 1.01 * half_ulp(DType::f32, 0.999 * m.scheme.amplitude()));
        c.more(m);
      }
}

TEST(Mistakes, AreAllListed) {
  std::vector<std::string> listed;
  for (const Mistake& m : mistakes()) listed.emplace_back(m.id);
  for (const Case& c : cases) {
    const bool single = std::string_view(c.mistake).find('+') == std::string_view::npos;
    EXPECT_TRUE(!single || contains(listed, c.mistake)) << c.mistake;
  }
}

TEST(Mistakes, PositionsReversed) {
  const Match m =
      identified(70, 32, [](double p, int64_t c, int64_t d) { return paper(69 - p, c, d); });
  EXPECT_EQ(m.match, "paper");
  EXPECT_EQ(m.mistake, "reversed-positions");
}

// ------------------------------------------------------------------ rounding on the way

float lowered(DType type, double x) {
  const auto single = static_cast<float>(x);
  return type == DType::bf16 ? to_f32(to_bf16(single)) : to_f32(to_f16(single));
}

// Frequencies as PyTorch code has them, in f32.
float frequency_f32(int64_t c, int64_t d) {
  return std::exp(static_cast<float>(c / 2 * 2) * static_cast<float>(-std::log(10000.0) / d_of(d)));
}

TEST(Mistakes, SixteenBitsBeforeTheSine) {
  for (const DType type : {DType::bf16, DType::f16}) {
    const std::string name(to_string(type));
    const auto low = [=](double x) { return lowered(type, x); };
    const Element position = [=](double p, int64_t c, int64_t d) {
      return wave(c, low(p) * frequency_f32(c, d));
    };
    const Element frequency = [=](double p, int64_t c, int64_t d) {
      return wave(c, static_cast<float>(p) * low(frequency_f32(c, d)));
    };
    const Element phase = [=](double p, int64_t c, int64_t d) {
      return wave(c, low(static_cast<float>(p) * frequency_f32(c, d)));
    };
    const Element all = [=](double p, int64_t c, int64_t d) {
      return wave(c, low(low(p) * low(frequency_f32(c, d))));
    };
    for (const DType stored : {DType::f32, type}) {
      EXPECT_EQ(identified(3000, 64, position, stored).mistake, name + "-position");
      EXPECT_EQ(identified(3000, 64, frequency, stored).mistake, name + "-frequency");
      EXPECT_EQ(identified(3000, 64, phase, stored).mistake, name + "-phase");
      EXPECT_EQ(identified(3000, 64, all, stored).mistake, name + "-phase");
    }
  }
}

// The usual f32 code is no mistake, but it is told apart from exact numbers once they differ.
TEST(Mistakes, F32ThroughoutIsToldApart) {
  const Element usual = [](double p, int64_t c, int64_t d) {
    const float angle = static_cast<float>(p) * frequency_f32(c, d);
    return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
  };
  const Match m = identified(5000, 128, usual);
  EXPECT_EQ(m.match, "paper");
  EXPECT_EQ(m.mistake, "") << m.sentence;
  EXPECT_EQ(m.scheme.numerics, Numerics::torch_f32);
  EXPECT_EQ(identified(5000, 128, [](double p, int64_t c, int64_t d) { return paper(p, c, d); })
                .scheme.numerics,
            Numerics::exact);
}

}  // namespace
}  // namespace posenc::mistakes_test
