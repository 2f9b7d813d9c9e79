// Tables of consecutive rows, from anywhere to anywhere, against the truth.
#include "tests/accuracy/contract.h"

namespace posenc {
namespace {

constexpr int64_t far = int64_t{1} << 31;

struct Range {
  int64_t first, tokens;
};
// 130 rows are two blocks and a bit, 1100 two runs and a bit; 17 just a run, 1 none.
constexpr Range ranges[] = {
    {0, 130},         {-77, 130},         {997, 131},        {31337, 133},
    {999'963, 67},    {9'999'991, 130},   {123'456'789, 17}, {1'000'000'007, 97},
    {far - 128, 129}, {-far, 131},        {88'888, 1100},    {far - 1100, 1101},
    {1, 1},           {(1 << 24) + 1, 1}, {far, 1}};

// The edges of blocks and runs, the last row, and some others.
std::vector<int64_t> some_rows(int64_t tokens) {
  std::vector<int64_t> out;
  for (const int64_t edge : {0, 1, 2, 3, 63, 64, 65, 127, 128, 511, 512, 513, 1023, 1024})
    if (edge < tokens) out.push_back(edge);
  Random random(static_cast<uint64_t>(tokens));
  for (int i = 0; i < 4; ++i) out.push_back(random.integer(0, tokens - 1));
  out.push_back(tokens - 1);
  return out;
}

void expect_tables(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    if (c.axes() != 1) continue;
    SCOPED_TRACE(c.name);
    const auto columns = c.columns();
    for (const Range& r : ranges) {
      SCOPED_TRACE(r.first);
      const Expected expected(columns, some_columns(some_rows(r.tokens), std::ssize(columns), 32),
                              [&](int64_t token) { return Point{Real(r.first + token)}; });
      expect_contract(c, r.tokens, range(r.first), expected);
    }
  }
}

TEST(Tables, EveryPreset) { expect_tables(presets()); }
TEST(Tables, EveryRuleAndDim) { expect_tables(rules()); }
TEST(Tables, EveryNumerics) { expect_tables(numerics()); }
TEST(Tables, EveryOption) { expect_tables(options()); }

}  // namespace
}  // namespace posenc
