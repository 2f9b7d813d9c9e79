// fast_math.cc: rows once more where -ffast-math made the library's code for them, compiled this
// file with all that it includes, and linked the program. Arithmetic that it breaks is broken at
// any position, so each way of making rows is tried at a few: runs of both lengths, a row alone,
// and positions of every type.
#include "tests/accuracy/rotary_cases.h"
#include "tests/accuracy/runs.h"

#ifndef __FAST_MATH__
#error expected -ffast-math here: it is what this program tests
#endif

namespace posenc::fast_math_test {
namespace {

const std::vector<Range> ranges{{-77, 130}, {far - 1100, 1101}, {far, 1}};

TEST(FastMath, Tables) {
  const std::vector<int64_t> dims{5, 96};
  for (const auto& cases : {presets(), options(), rotary_options()}) expect_tables(cases, ranges);
  for (const Numerics n : {Numerics::exact, Numerics::f32_frequencies, Numerics::torch_f32}) {
    expect_tables(rules(n, dims), ranges);
    expect_tables(rotary_rules(n, {96}), ranges);
  }
}

TEST(FastMath, Positions) {
  for (const auto& cases : {presets(), rotary_options()})
    for (const Case& c : cases) expect_positions(c);
  for (const Case& c : rules(Numerics::torch_f32, {96})) expect_positions(c);
}

}  // namespace
}  // namespace posenc::fast_math_test
