// notes_test.cc: weights nobody trained and factors somebody has to apply are named.
#include <cmath>

#include "posenc/posenc.h"
#include "tests/cli/tool.h"

namespace posenc::notes_test {
namespace {

constexpr std::string_view random_of_seed_7 =
    "are random numbers of seed 7, as before any training";

TEST_F(Tool, RandomWeightsAreNamed) {
  write_arrays(path("x.npy"), {{"", numbered(DType::f32, {5, 8})}});
  for (const std::string arguments :
       {"table learned --dim 8", "show learned --dim 8", "check learned --dim 8 --tokens 40",
        "apply learned --in x.npy --out y.npy", "table t5", "show t5", "check t5 --tokens 40",
        "frequencies gaussian", "frequencies rope --preset rope-vit"}) {
    const Result result = posenc(arguments + " --seed 7");
    EXPECT_EQ(result.code, 0) << arguments;
    EXPECT_TRUE(result.err.starts_with("posenc: note: the weights of ")) << arguments;
    EXPECT_NE(result.err.find(random_of_seed_7), std::string::npos) << arguments << result.err;
  }
  for (const std::string arguments : {"table sinusoidal --dim 8", "show t5 --kind buckets",
                                      "check alibi", "show rope --preset llama"})
    EXPECT_EQ(posenc(arguments).err, "") << arguments;
}

TEST_F(Tool, RandomWeightsAreAFieldOfJson) {
  write_arrays(path("x.npy"), {{"", numbered(DType::f32, {5, 8})}});
  const Json expected{{"random", true}, {"seed", 7}};
  for (const std::string arguments :
       {"table learned --dim 8", "check learned --dim 8 --tokens 40", "frequencies gaussian",
        "apply learned --in x.npy --out y.safetensors", "table t5"})
    EXPECT_EQ(json(arguments + " --seed 7 --json")["initial_weights"], expected) << arguments;
  EXPECT_EQ(Json::parse(read_metadata(path("y.safetensors")).at("posenc.x"))["initial_weights"],
            expected);
  EXPECT_FALSE(json("table sinusoidal --dim 8 --json").contains("initial_weights"));
  // Constants to start from are no random numbers, but nobody trained them either.
  EXPECT_EQ(json("table alibi --learned_slopes true --json")["initial_weights"]["random"], false);
  output("table learned --dim 8 --rows 5 --positions 0:5 --out w.npy");
  const Result trained = posenc("table learned --dim 8 --rows 5 --positions 0:5 --weights w.npy");
  EXPECT_EQ(trained.err, "");
}

TEST_F(Tool, FactorsAreNamed) {
  const Rope yarn{.dim = 8,
                  .layout = Layout::half,
                  .scaling = Yarn{.factor = 4, .original_max_position_embeddings = 4096}};
  const auto plan = prepare(yarn);
  ASSERT_NE(plan.cos_sin_factor(), 1);
  const std::string scheme =
      " rope --layout half --dim 8 --scaling yarn --scaling.factor 4 "
      "--scaling.original_max_position_embeddings 4096 ";
  write_arrays(path("x.npy"), {{"", numbered(DType::f32, {5, 8})}});
  EXPECT_NE(output("table" + scheme).find("cosines and sines are multiplied by 1.13863"),
            std::string::npos);
  for (const std::string& arguments :
       {"table" + scheme + "--format csv", "table" + scheme + "--out t.npy",
        "apply" + scheme + "--in x.npy --out y.npy"})
    EXPECT_NE(posenc(arguments).err.find("note: cosines and sines are multiplied by 1.13863"),
              std::string::npos)
        << arguments;
  const Json done = json("apply" + scheme + "--in x.npy --out y.npy --json");
  EXPECT_EQ(done["cos_sin_factor"].get<double>(), plan.cos_sin_factor());
  EXPECT_EQ(done["softmax_factor"].get<double>(), plan.softmax_factor());
  EXPECT_EQ(done["arrays"][0]["shape"], Json({5, 8}));
  EXPECT_EQ(posenc("apply rope --layout half --in x.npy --out y.npy").err, "");
}

// A factor on the softmax scale, which is the caller's, in every way the tool tells it.
TEST_F(Tool, SoftmaxFactorIsNamed) {
  write_arrays(path("x.npy"), {{"", numbered(DType::f32, {5, 64})}});
  const auto factor =
      json("table rope --preset deepseek-v3 --json")["softmax_factor"].get<double>();
  ASSERT_NE(factor, 1);
  const std::string part = "the softmax scale must be multiplied by 1.8";
  EXPECT_NE(output("table rope --preset deepseek-v3").find(part), std::string::npos);
  const std::string apply =
      "apply rope --preset deepseek-v3 --dim 64 --rotary_offset 0 --in x.npy --out y.npy";
  EXPECT_NE(posenc(apply).err.find(part), std::string::npos) << posenc(apply).err;
  EXPECT_EQ(json(apply + " --json")["softmax_factor"].get<double>(), factor);
}

TEST_F(Tool, LengthMustCoverThePositions) {
  write_arrays(path("x.npy"), {{"", numbered(DType::f32, {5, 8})}});
  const std::string dynamic = " rope --layout half --dim 8 --scaling dynamic ";
  const std::string longrope =
      " rope --layout half --dim 4 --scaling longrope --scaling.short_factor 1,1 "
      "--scaling.long_factor 2,3 ";
  for (const std::string& scheme : {dynamic, longrope})
    for (const std::string arguments :
         {"--length 10 --positions 10", "--length 10 --positions 3,11",
          "--length 10 --positions 9.5,10.5", "--length 7"})
      expect_refusal("table" + scheme + arguments, 2, "expected --length above every position");
  expect_refusal("apply" + dynamic + "--in x.npy --out y.npy --length 4", 2, "--length above");
  expect_refusal("check" + dynamic + "--tokens 20 --length 19", 2, "--length of at least --tokens");
  expect_refusal("show" + dynamic + "--positions 0:20 --length 19", 2, "--length above");
  output("table" + dynamic + "--length 10 --positions 0:10");
  output("show" + dynamic + "--length 10");  // the usual positions end with the text
  output("apply" + dynamic + "--in x.npy --out y.npy --length 5");
}

}  // namespace
}  // namespace posenc::notes_test
