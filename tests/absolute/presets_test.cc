// presets_test.cc: sinusoidal tables against numbers made elsewhere.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "posenc/scheme.h"
#include "tests/support/gradient.h"

namespace posenc {
namespace {

std::vector<double> row_of(const Absolute& scheme, int64_t position) {
  return row_at(prepare(scheme), {static_cast<double>(position)});
}

Absolute sinusoidal(const Options& options) {
  return *as_family<Absolute>(make_scheme("sinusoidal", options));
}

TEST(Presets, MatchTheCodeTheyAreNamedAfter) {
  std::ifstream file(POSENC_GOLDEN "/presets.txt");
  std::string line, name;
  std::getline(file, line);
  int lines = 0;
  for (int64_t dim, position; file >> name >> dim >> position; ++lines) {
    Options options{{"preset", name}};
    if (name != "degrees") options.push_back({"dim", text::write(dim)});
    const auto row = row_of(sinusoidal(options), position);
    ASSERT_EQ(std::ssize(row), dim);
    // The script's exponents are below 9.3 and rounded a few times; frequencies are at most 1.
    const double tolerance = 0x1p-49 * static_cast<double>(position + 2) + 4e-16;
    for (double value : row) {
      double golden = 0;
      file >> golden;
      EXPECT_NEAR(value, golden, tolerance) << name << " " << dim << " " << position;
    }
  }
  EXPECT_EQ(lines, 136);
  EXPECT_TRUE(file.eof());
}

// Numbers printed with six digits after the point.
void expect_printed(const std::vector<double>& row, const std::vector<double>& printed,
                    double digit = 1e-6) {
  ASSERT_EQ(row.size(), printed.size());
  for (size_t c = 0; c < row.size(); ++c) EXPECT_NEAR(row[c], printed[c], digit / 2 * 1.0001) << c;
}

TEST(Presets, WorkedNumbers) {
  const TimescalesRule timescales;
  expect_printed(row_of(Sinusoidal{.dim = 8}, 3),
                 {.141120, -.989992, .295520, .955336, .029996, .999550, .003000, .999996});
  expect_printed(row_of(Sinusoidal{.dim = 8, .order = Order::halves}, 3),
                 {.141120, .295520, .029996, .003000, -.989992, .955336, .999550, .999996});
  const Sinusoidal other{.dim = 8, .rule = timescales, .order = Order::halves};
  expect_printed(row_of(other, 3),
                 {.141120, .138798, .006463, .000300, -.989992, .990321, .999979, 1.0});
  const auto fairseq = sinusoidal({{"preset", "fairseq"}, {"dim", "8"}});
  EXPECT_EQ(row_of(fairseq, 3), row_of(other, 5));  // the fourth token stands at padding_idx + 4
}

TEST(Presets, TheTablePrintedInDocument001) {
  const double printed[][2] = {{1, 0}, {0.9998, 0.0175}, {0.9994, 0.0349}, {0.9986, 0.0523}};
  for (int64_t p = 0; p < 4; ++p)
    expect_printed(row_of(sinusoidal({{"preset", "degrees"}}), p), {printed[p][0], printed[p][1]},
                   1e-4);
}

// PatchTST takes the mean of the whole table away and divides by ten standard deviations.
TEST(Presets, NormalisedAsPatchTst) {
  std::vector<double> table(16);
  fill(Sinusoidal{.dim = 4}, tensor(table.data(), {4, 4}));
  const double mean = std::accumulate(table.begin(), table.end(), 0.0) / 16;
  double squares = 0;
  for (double v : table) squares += (v - mean) * (v - mean);
  std::vector<double> row;
  for (size_t c = 0; c < 4; ++c)
    row.push_back((table[4 + c] - mean) / (10 * std::sqrt(squares / 15)));
  expect_printed(row, {.074901, .025983, -.060153, .100643});
}

// x-transformers starts its learned scale at dim^(-1/2); posenc keeps that factor apart.
TEST(Presets, AlphaTimesAFixedFactor) {
  const Sinusoidal s{
      .dim = 6, .order = Order::halves, .norm = Norm::rsqrt_dim, .learned_scale = true};
  const double alpha = 1.75;
  const Tensor weight = tensor(&alpha, {1});
  const auto row = row_at(prepare(s, {.weights = std::span(&weight, 1)}), {7});
  const auto plain = row_of(Sinusoidal{.dim = 6, .order = Order::halves}, 7);
  for (size_t c = 0; c < row.size(); ++c)  // two rows within 4e-16, and a few roundings below 1
    EXPECT_NEAR(row[c], plain[c] * alpha / std::sqrt(6.0), 8e-16);
}

TEST(Presets, AlphaReceivesTheSumOfItsRows) {
  Random random(1);
  for (DType dtype : float_types)
    for (double scale : {1.0, -2.5}) {
      const Sinusoidal s{.dim = 9, .offset = 3, .scale = scale, .learned_scale = true};
      const Weights w = random_weights(s, random);
      Guarded dout(dtype, {2, 3, 20, 9}, Placement::spaced);
      randomize(dout.view(), random);
      const auto g = gradient(s, w, dout.view(), range(1000));
      const auto plan = prepare(Sinusoidal{.dim = 9, .offset = 3, .scale = scale});
      double sum = 0;
      for (int64_t n = 0; n < dout.view().elements(); ++n)
        sum += get(dout.view(), n) *
               row_at(plan, {1000.0 + static_cast<double>(n / 9 % 20)})[static_cast<size_t>(n % 9)];
      // 1080 products of numbers below 1 and 2.5, summed in double; then one rounding.
      const double tolerance = 1080 * 2.5 * 1080 * 0x1p-53;
      EXPECT_NEAR(g[0], sum, tolerance + half_ulp(compute_type(dtype), sum));
    }
}

TEST(Presets, AlphaIsTheAdjointOfItsTable) {
  Random random(2);
  const Sinusoidal s{.dim = 9, .order = Order::halves, .scale = 0.5, .learned_scale = true};
  const Array dout = make_array(DType::f64, {2, 30, 9});
  randomize(dout.view(), random);
  expect_adjoint(s, random_weights(s, random), dout.view(), range(5), random, 1);
}

}  // namespace
}  // namespace posenc
