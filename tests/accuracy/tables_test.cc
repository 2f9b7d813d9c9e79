// Tables of consecutive rows, from anywhere to anywhere, against the truth.
#include "tests/accuracy/runs.h"

namespace posenc::tables_test {
namespace {

TEST(Tables, EveryPreset) { expect_tables(presets(), all_ranges); }
TEST(Tables, EveryRuleAndDim) { expect_tables(rules(), all_ranges); }
TEST(Tables, EveryNumerics) { expect_tables(numerics(), all_ranges); }
TEST(Tables, EveryOption) { expect_tables(options(), all_ranges); }

}  // namespace
}  // namespace posenc::tables_test
