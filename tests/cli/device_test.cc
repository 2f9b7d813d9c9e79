// device_test.cc: what the tool does on a GPU, or on what stands in for one; elsewhere a sentence
// says what is missing.
#include "base/cuda_state.h"
#include "tests/cli/tool.h"

namespace posenc::device_test {
namespace {

TEST_F(Tool, AccuracyOfADevice) {
  if (cuda::state().devices == 0)
    return expect_refusal("accuracy --dim 32 --device cuda", 1, "expected a ");
  for (const std::string scheme : {"--dim 32", "rope --preset qwen2-vl --dim 128", "nerf"}) {
    SCOPED_TRACE(scheme);
    const Json accuracy = json("accuracy " + scheme + " --device cuda --json");
    EXPECT_EQ(accuracy["device"], "cuda");
    EXPECT_TRUE(accuracy["contract"]["holds"].get<bool>());
    EXPECT_NEAR(accuracy["contract"]["f32"].get<double>(), 6.1e-8, 3e-10);
    double f32 = 0, f64 = 0;
    for (const Json& entry : accuracy["errors"]) {
      if (entry["numerics"] != "exact" || entry["dtype"] == "bf16") continue;
      double& largest = entry["dtype"] == "f32" ? f32 : f64;
      largest = std::max(largest, entry["error"].get<double>());
    }
    EXPECT_LE(f32, 6.1e-8);
    EXPECT_GE(f32, 2e-8) << "no f32 row is nearer to the truth than its rounding";
    EXPECT_LE(f64, 4e-16);
    EXPECT_GT(f64, 0);
  }
  const std::string text = output("accuracy --dim 32 --device cuda");
  EXPECT_NE(text.find("filled by a GPU"), text.npos) << text;
  EXPECT_NE(text.find("within 3.1e-8 A"), text.npos) << text;
}

TEST_F(Tool, DevicesHaveNames) {
  expect_refusal("accuracy --device tpu", 2, "cpu");
  expect_refusal("bench --device tpu", 2, "cpu");
}

}  // namespace
}  // namespace posenc::device_test
