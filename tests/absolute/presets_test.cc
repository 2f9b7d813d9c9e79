// presets_test.cc: sinusoidal tables against numbers made elsewhere.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "posenc/scheme.h"
#include "posenc/shift.h"
#include "tests/support/gradient.h"
#include "tests/support/message.h"
#include "tests/support/paths.h"

namespace posenc::presets_test {
namespace {

std::vector<double> row_of(const Absolute& scheme, int64_t position) {
  return row_at(prepare(scheme), {static_cast<double>(position)});
}

Absolute sinusoidal(const Options& options) {
  return *as_family<Absolute>(make_scheme("sinusoidal", options));
}

TEST(Presets, MatchTheCodeTheyAreNamedAfter) {
  std::ifstream file(golden_path("presets.txt"));
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

// Transformers' PatchTST: minus the mean of the table, over ten of its deviations (of a sample).
std::vector<double> patchtst(int64_t rows, int64_t dim, int64_t position) {
  std::vector<double> table;
  for (int64_t p = 0; p < std::max(rows, position + 1); ++p)
    for (int64_t c = 0; c < dim; ++c) {
      const double w =
          std::pow(10000.0, -static_cast<double>(c / 2 * 2) / static_cast<double>(dim));
      table.push_back(std::sin(static_cast<double>(p) * w + (c % 2) * std::numbers::pi / 2));
    }
  const auto count = static_cast<double>(rows * dim);
  const std::span whole(table.data(), static_cast<size_t>(rows * dim));
  const double mean = std::accumulate(whole.begin(), whole.end(), 0.0) / count;
  double squares = 0;
  for (double x : whole) squares += (x - mean) * (x - mean);
  std::vector<double> row;
  for (int64_t c = 0; c < dim; ++c)
    row.push_back((table[static_cast<size_t>(position * dim + c)] - mean) /
                  (10 * std::sqrt(squares / (count - 1))));
  return row;
}

TEST(Presets, PatchTST) {
  expect_printed(row_of(Sinusoidal{.dim = 4, .normalize_rows = 4}, 1),
                 {.074901, .025983, -.060153, .100643});
  for (const auto& [rows, dim] : {std::pair<int64_t, int64_t>{32, 128}, {7, 6}, {700, 10}, {1, 5}})
    for (DType dtype : float_types) {
      const Sinusoidal s{.dim = dim, .normalize_rows = rows};
      const int64_t count = rows + 3;
      const Array table = make_array(dtype, {count, dim});
      fill(prepare(s), table.view());
      for (int64_t n = 0; n < count * dim; n += 1 + count / 50) {
        const double truth = patchtst(rows, dim, n / dim)[static_cast<size_t>(n % dim)];
        // The mean of the reference is off by a rounding of each term at most, and angles below
        // 703 by 2^-43; the factor is below 0.2 here, or 0.5 for one row.
        ASSERT_NEAR(get(table.view(), n), truth, row_error(dtype, truth) + 1e-12) << rows;
      }
    }
}

// Kimi-K2.5: frame 0 adds nothing, frame f the row f - 1 of sines, then cosines.
TEST(Presets, KimiFrames) {
  const auto frames = sinusoidal({{"preset", "kimi-frames"}, {"dim", "8"}});
  EXPECT_EQ(row_of(frames, 0), std::vector<double>(8, 0.0));
  for (int64_t f : {1, 2, 5})
    EXPECT_EQ(row_of(frames, f), row_of(Sinusoidal{.dim = 8, .order = Order::halves}, f - 1));
}

TEST(Presets, WhatCannotBeNormalized) {
  const auto said = [](Sinusoidal s) { return message([&] { s.check(); }); };
  EXPECT_EQ(said({.dim = 1, .normalize_rows = 1}),
            "[sinusoidal] expected a table of at least 2 numbers to normalize, got 1");
  EXPECT_EQ(said({.learned_scale = true, .normalize_rows = 4}),
            "[sinusoidal] expected normalize_rows or learned_scale, got both");
  EXPECT_EQ(said({.dim = 5, .odd = Odd::zero, .normalize_rows = 4}),
            "[sinusoidal] expected an even dim with normalize_rows and odd zero, got 5");
  EXPECT_EQ(said({.dim = 16384, .normalize_rows = 16384}),
            "[sinusoidal] expected a table of at most 67108864 numbers to normalize, got 16384 x "
            "16384");
  EXPECT_NE(said({.normalize_rows = 0}), "no error");
  const Sinusoidal same{.dim = 1, .position_scale = 1e-300, .normalize_rows = 8};
  EXPECT_EQ(message([&] { prepare(same); }),
            "[sinusoidal] expected rows that differ to normalize, got equal numbers");
  EXPECT_NE(message([] { shift(Sinusoidal{.dim = 4, .normalize_rows = 8}, 3); }), "no error");
}

}  // namespace
}  // namespace posenc::presets_test
