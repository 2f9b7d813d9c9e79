// points_golden_test.cc: LayoutLMv3, UDOP, CPM-Ant and PP-DocLayoutV2 of Transformers, recorded by
// tests/golden/points.py.
#include <gtest/gtest.h>

#include <map>

#include "model/array.h"
#include "posenc/scheme.h"
#include "tests/support/elements.h"
#include "tests/support/paths.h"

namespace posenc::points_golden_test {
namespace {

struct Recorded {
  const char* name;
  Options options;
};

class PointsGolden : public testing::TestWithParam<Recorded> {};

// Sums of 3, 1 or 65 f64 numbers below 4; the angles of PP-DocLayoutV2 stay below 2^11, and each
// side rounds them a few times.
TEST_P(PointsGolden, IsWhatTransformersAdd) {
  std::map<std::string, Array> arrays;
  for (auto& [name, array] : read_arrays(golden_path("points.safetensors")))
    arrays[name] = std::move(array);
  const std::string name = GetParam().name;
  std::vector<Tensor> weights;
  for (int i = 0; arrays.count(name + ".weight." + std::to_string(i)); ++i)
    weights.push_back(arrays[name + ".weight." + std::to_string(i)].view());
  const auto scheme = *as_family<Bias>(make_scheme(name, GetParam().options));
  const Positions at = positions(arrays[name + ".positions"].view());
  const Tensor theirs = arrays[name + ".bias"].view();
  const Array ours = make_array(DType::f64, arrays[name + ".bias"].shape);
  fill(scheme, ours.view(), {.queries = at, .keys = at}, {.weights = weights});
  for (int64_t n = 0; n < theirs.elements(); ++n)
    ASSERT_NEAR(get(ours.view(), n), get(theirs, n), 0x1p-34) << n;
}

INSTANTIATE_TEST_SUITE_P(
    Models, PointsGolden,
    testing::Values(
        Recorded{"layoutlmv3-bias", {{"heads", "3"}}}, Recorded{"udop", {{"heads", "3"}}},
        Recorded{"cpm-ant",
                 {{"heads", "3"}, {"buckets", "16"}, {"max_distance", "20"}, {"segments", "4"}}},
        Recorded{"pp-doclayout-v2", {{"heads", "3"}}}));

}  // namespace
}  // namespace posenc::points_golden_test
