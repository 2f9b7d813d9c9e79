// The numerics of PyTorch code, against numbers that PyTorch computed (golden/torch_f32.py).
#include <bit>

#include "tests/accuracy/contract.h"
#include "tests/accuracy/torch_golden.h"

namespace posenc::torch_test {
namespace {

FrequencyRule rule_named(std::string_view name) {
  if (name == "paper") return PaperRule{};
  return TimescalesRule{};
}

double largest_difference(const Sinusoidal& s, const std::vector<double>& table) {
  const Array& at = golden().at("positions");
  const Array rows = make_array(DType::f32, {at.shape[0], s.dim});
  fill(s, rows.view(), positions(at.view()));
  double largest = 0;
  for (size_t i = 0; i < table.size(); ++i)
    largest = std::max(largest, std::abs(get(rows.view(), static_cast<int64_t>(i)) - table[i]));
  return largest;
}

struct TableName {
  const char* rule;
  int64_t dim;
  std::string text() const { return join({rule, std::to_string(dim)}, " "); }
};

// PyTorch's sine is within an ulp, 6e-8 below 1, and ours within 3.1e-8: together below 2e-7. The
// truth is far off: at position 1e6 a product near 1e6 is rounded by up to 2^-5 = 0.03, and a
// frequency near 1, which is off by 2^-25 and more, has become another 0.03 and more.
TEST(Torch, TablesWithItsFrequencies) {
  for (const TableName t : {TableName{"paper", 96}, {"paper", 512}, {"timescales", 96}}) {
    SCOPED_TRACE(t.text());
    const auto table = golden("table " + t.text());
    const ExplicitRule given{golden("frequencies " + t.text()), Unit::radians};
    for_every_target([&] {
      const Sinusoidal same{.dim = t.dim, .rule = given, .numerics = Numerics::torch_f32};
      const Sinusoidal exact{.dim = t.dim, .rule = rule_named(t.rule)};
      EXPECT_LE(largest_difference(same, table), 2e-7);
      EXPECT_GE(largest_difference(exact, table), 0.03);
      EXPECT_LE(largest_difference(exact, table), 0.2);
    });
  }
}

TEST(Torch, FrequenciesWithinOneUlp) {
  for (const char* rule : {"paper", "timescales"})
    for (const int64_t dim : {64, 96, 512, 1000}) {
      const TableName t{rule, dim};
      SCOPED_TRACE(t.text());
      const auto torch = golden("frequencies " + t.text());
      for (const Numerics numerics : {Numerics::f32_frequencies, Numerics::torch_f32}) {
        const auto ours =
            Sinusoidal{.dim = dim, .rule = rule_named(rule), .numerics = numerics}.frequencies();
        ASSERT_EQ(ours.size(), torch.size());
        for (size_t k = 0; k < ours.size(); ++k) {
          const auto a = static_cast<float>(radians(ours[k])), b = static_cast<float>(torch[k]);
          EXPECT_EQ(a, radians(ours[k])) << "frequency " << k << " is not an f32";
          EXPECT_LE(std::abs(std::bit_cast<int32_t>(a) - std::bit_cast<int32_t>(b)), 1) << k;
        }
      }
    }
}

}  // namespace
}  // namespace posenc::torch_test
