// rotary_test.cc: table, apply, show and check with rotary schemes.
#include <cmath>
#include <numeric>

#include "base/dispatch.h"
#include "base/half.h"
#include "posenc/posenc.h"
#include "tests/cli/tool.h"
#include "tests/support/random.h"

namespace posenc::rotary_test {
namespace {

Array random_array(DType dtype, std::vector<int64_t> shape, uint64_t seed) {
  Random random(seed);
  Array out = make_array(dtype, std::move(shape));
  dispatch(dtype, [&]<class T>() {
    for (T& x : out.values<T>()) x = rounded_to<T>(static_cast<Compute<T>>(random.real()));
  });
  return out;
}

// The array with its axes in another order: axis i of the result is axis order[i].
Tensor permuted(const Array& array, const std::vector<size_t>& order) {
  const Tensor t = array.view();
  Tensor out = t;
  for (size_t i = 0; i < order.size(); ++i)
    out.shape[i] = t.shape[order[i]], out.stride[i] = t.stride[order[i]];
  return out;
}

TEST_F(Tool, RotaryTableIsCosinesAndSines) {
  const Json table = json("table rope --layout half --dim 6 --positions 5,-7 --dtype f64 --json");
  EXPECT_EQ(table["columns"], Json({"cos_0", "cos_1", "cos_2", "sin_0", "sin_1", "sin_2"}));
  for (size_t i = 0; i < 2; ++i)
    for (size_t k = 0; k < 3; ++k) {
      const double angle = (i == 0 ? 5 : -7) * std::pow(10000.0, -static_cast<double>(k) / 3);
      // 4e-16 of the row, and one rounding of the angle here.
      EXPECT_NEAR(table["rows"][i][k].get<double>(), std::cos(angle), 2e-15);
      EXPECT_NEAR(table["rows"][i][3 + k].get<double>(), std::sin(angle), 2e-15);
    }
  const std::string text = output("table rope --layout interleaved --dim 6 --positions 5");
  EXPECT_NE(text.find("[cosines | sines]"), text.npos);
  EXPECT_NE(text.find("cos_2"), text.npos);
  EXPECT_NE(
      output("table rope --layout half --dim 4 --format csv").find("position,cos_0,cos_1,sin"),
      std::string::npos);
}

TEST_F(Tool, RotaryTableTellsTheFactors) {
  const Json oss = json("table rope --preset gpt-oss --positions 0 --json");
  EXPECT_NEAR(oss["cos_sin_factor"].get<double>(), 1.346574, 5e-7);
  EXPECT_EQ(oss["softmax_factor"], 1);
  EXPECT_NEAR(oss["rows"][0][0].get<double>(), 1.346574, 5e-7);
  const Json deepseek = json("table rope --preset deepseek-v3 --positions 0 --json");
  EXPECT_EQ(deepseek["cos_sin_factor"], 1);
  EXPECT_NEAR(deepseek["softmax_factor"].get<double>(), 1.873854, 5e-7);
  EXPECT_NE(output("table rope --preset deepseek-v3").find("multiplied by 1.87385"),
            std::string::npos);
}

TEST_F(Tool, RotaryTableHasAxes) {
  const std::string start =
      "table rope --layout half --dim 8 --axes chunked --axes.sections 1,2,1 ";
  const Json table = json(start + "--positions '7,8;0,1;3,3' --json");
  EXPECT_EQ(table["positions"][1], Json({8, 1, 3}));
  EXPECT_NEAR(table["rows"][1][0].get<double>(), std::cos(8), 1e-7);
  EXPECT_NEAR(table["rows"][1][1].get<double>(), std::cos(0.1), 1e-7);
  EXPECT_NEAR(table["rows"][1][3].get<double>(), std::cos(0.003), 1e-7);
  // Without --positions text is meant, which stands at the same on every axis.
  EXPECT_EQ(json(start + "--json")["positions"][5], Json({5, 5, 5}));
}

TEST_F(Tool, LengthRulesGetTheLength) {
  const std::string dynamic =
      "table rope --layout half --dim 128 --scaling dynamic --scaling.factor 2 "
      "--scaling.max_position_embeddings 4096 --positions 1 --dtype f64 --json";
  const Json longer = json(dynamic + " --length 8192"), short_text = json(dynamic + " --length 9");
  const double base = std::pow(longer["rows"][0][64 + 63].get<double>(), -64.0 / 63);
  EXPECT_NEAR(base, 30527.74, 0.01);
  EXPECT_NEAR(std::pow(short_text["rows"][0][64 + 63].get<double>(), -64.0 / 63), 10000, 0.01);
  expect_refusal(dynamic, 2, "expected the length of the text");
  expect_refusal("table sinusoidal --length 5", 2, "expected a rotary scheme with --length");
}

TEST_F(Tool, ApplyTurnsEveryTypeAndOrder) {
  const std::pair<std::string, std::vector<size_t>> orders[] = {{"bthd", {0, 1, 2, 3}},
                                                                {"bhtd", {0, 2, 1, 3}},
                                                                {"tbhd", {1, 0, 2, 3}},
                                                                {"bhdt", {0, 3, 1, 2}}};
  const Rope rope{.dim = 96, .layout = Layout::interleaved, .rotary_dim = 40, .rotary_offset = -40};
  uint64_t seed = 0;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    for (const auto& [letters, order] : orders) {
      // Whatever the order, 2 batch rows, 7 tokens, 5 heads of 96.
      std::vector<int64_t> sizes{2, 7, 5, 96}, shape(4);
      for (size_t i = 0; i < 4; ++i) shape[order[i]] = sizes[i];
      Array x = random_array(dtype, shape, ++seed);
      write_arrays(path("x.safetensors"), {{"x", x}});
      output("apply rope --layout interleaved --rotary_dim 40 --rotary_offset -40 --shape " +
             letters + " --positions 1000000:1000007 --in x.safetensors --out y.safetensors");
      rotate(prepare(rope), {permuted(x, order), {}}, range(1000000));
      expect_same(read_array(path("y.safetensors")), x);
    }
}

TEST_F(Tool, ApplyTurnsQueriesAndKeysTogether) {
  const Array q = random_array(DType::f32, {2, 6, 5, 8}, 1),
              k = random_array(DType::f32, {2, 2, 5, 8}, 2);
  const Array other = numbered(DType::i64, {3});
  write_arrays(path("a.safetensors"), {{"k", k}, {"other", other}, {"q", q}});
  const std::string rope = "apply rope --preset xpos --dim 8 --shape bhtd ";
  output(rope + "--in a.safetensors --tensor q --keys k --out b.safetensors");
  output(rope + "--in a.safetensors --tensor q --out q.safetensors");
  output(rope + "--in a.safetensors --keys k --out k.safetensors");
  expect_same(read_array(path("b.safetensors"), "q"), read_array(path("q.safetensors"), "q"));
  expect_same(read_array(path("b.safetensors"), "k"), read_array(path("k.safetensors"), "k"));
  expect_same(read_array(path("k.safetensors"), "q"), q);
  expect_same(read_array(path("b.safetensors"), "other"), other);
  const Json note = Json::parse(read_metadata(path("b.safetensors")).at("posenc.k"));
  EXPECT_EQ(note["options"]["layout"], "interleaved");
  EXPECT_EQ(note["verb"], "rotate");
  // xPos treats the two differently: a lone array is queries unless it is said to be keys.
  write_arrays(path("k.npy"), {{"", k}});
  output(rope + "--in k.npy --holds keys --out turned.npy");
  expect_same(read_array(path("turned.npy")), read_array(path("b.safetensors"), "k"));
  output(rope + "--in k.npy --out wrong.npy");
  EXPECT_NE(read_array(path("wrong.npy")).bytes, read_array(path("turned.npy")).bytes);
}

// 512 tokens of one sequence, or 512 heads of one token?
TEST_F(Tool, ApplyAsksWhichAxisHoldsTokens) {
  write_arrays(path("x.npy"), {{"", random_array(DType::f32, {1, 512, 128}, 5)}});
  write_arrays(path("y.npy"), {{"", random_array(DType::f32, {1, 2, 3, 128}, 6)}});
  const std::string rope = "apply rope --layout half --out z.npy ";
  expect_refusal(rope + "--in x.npy", 2,
                 "expected --shape, because x.npy is [1, 512, 128] and its order of axes cannot be "
                 "guessed, got none; write --shape thd for [tokens, heads, dim]");
  expect_refusal(rope + "--in y.npy", 2, "bhtd for [batch, heads, tokens, dim]");
  output(rope + "--in x.npy --shape btd");
}

TEST_F(Tool, ApplyGoesBack) {
  Array x = random_array(DType::f64, {9, 3, 64}, 3);
  write_arrays(path("x.npy"), {{"", x}});
  output("apply rope --preset gpt-oss --shape thd --in x.npy --out y.npy");
  output("apply rope --preset gpt-oss --shape thd --in y.npy --inverse --out back.npy");
  output("apply rope --preset gpt-oss --shape thd --in y.npy --adjoint --out adjoint.npy");
  const double m = 1 + 0.1 * std::log(32.0);
  Array back = read_array(path("back.npy")), adjoint = read_array(path("adjoint.npy"));
  for (size_t i = 0; i < x.values<double>().size(); ++i) {
    // A pair of length sqrt(2) at most, turned twice: 2 (sqrt(2) 4e-16 + 3 2^-53) sqrt(2), times
    // m^2.
    EXPECT_NEAR(back.values<double>()[i], x.values<double>()[i], 3e-15);
    EXPECT_NEAR(adjoint.values<double>()[i], m * m * x.values<double>()[i], 5e-15);
  }
}

TEST_F(Tool, ShowDrawsRotaryKinds) {
  for (const std::string kind : {"decay", "rules", "wavelengths"}) {
    const std::string text =
        output("show rope --layout half --size 80x24 --kind " + kind +
               " --compare 'linear factor=4;ntk factor=4 ; yarn fac=4 orig=4096'");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 24) << kind;
    for (const char* label : {"linear factor=4", "ntk factor=4", "yarn fac=4 orig=4096"})
      EXPECT_NE(text.find(label), text.npos) << kind << " " << label;
    output("show rope --preset qwen3-vl --out p.png --kind " + kind);
    EXPECT_TRUE(read("p.png").starts_with("\x89PNG"));
  }
  EXPECT_NE(
      output("show rope --preset llama --kind wavelengths --length 4096").find("the text: 4096"),
      std::string::npos);
  output("show rope --kind wavelengths --compare 'preset=llama; preset=llama3.1 factor=16'");
  output("show rope --preset gpt-oss --kind rules --compare 'factor=8; scaling=ntk factor=3'");
  output("show rope --preset rope-vit --kind wavelengths");
  output("show rope --preset rope-vit --kind decay");
  output("show rope --preset xpos --kind waves");
}

TEST_F(Tool, CheckJudgesRotations) {
  const Json answer = json("check rope --preset gpt-oss --length 131072 --json");
  std::map<std::string, std::string> verdicts;
  for (const Json& p : answer["properties"]) verdicts[p["name"]] = p["verdict"];
  EXPECT_EQ(verdicts.at("score-by-offset"), "holds");
  EXPECT_EQ(verdicts.at("adjoint-is-inverse"), "fails");
  EXPECT_EQ(verdicts.at("layouts-agree"), "holds");
  EXPECT_NE(output("check rope --layout half").find("full-turns"), std::string::npos);
}

// The command that identify prints makes the file again, byte for byte.
TEST_F(Tool, IdentifyNamesRotaryTables) {
  for (const char* typed :
       {"--layout half --dim 32", "--preset llama3.1", "--preset gpt-oss", "--preset nanochat",
        "--preset gemma4", "--layout half --dim 32 --offset 5",
        "--layout half --dim 64 --scaling linear --scaling.factor 4"}) {
    output(std::string("table rope --positions 0:300 --out t.npy ") + typed);
    const Json found = json("identify t.npy --json");
    EXPECT_EQ(found["kind"], "rope") << typed;
    EXPECT_EQ(found["holds"], "cos|sin");
    EXPECT_EQ(found["layout"], "plain");
    EXPECT_TRUE(found["options"]["scaling"]["type"].is_string());
    const auto command = found["command"].get<std::string>();
    ASSERT_TRUE(command.starts_with("posenc table rope")) << command;
    output(command.substr(7) + " --out again.npy");
    EXPECT_EQ(read("again.npy"), read("t.npy")) << command;
  }
  output("table sinusoidal --dim 32 --positions 0:100 --out t.npy");
  EXPECT_EQ(json("identify t.npy --json")["kind"], "sinusoidal");
}

TEST_F(Tool, HelpOfRopeAsksForTheLayout) {
  EXPECT_NE(output("apply rope --help").find("which two features form a pair; must be given"),
            std::string::npos);
  EXPECT_NE(output("list rope").find("which two features form a pair; must be given"),
            std::string::npos);
}

TEST_F(Tool, RefusesRotaryNonsense) {
  write_arrays(path("x.npy"), {{"", random_array(DType::f32, {4, 2, 8}, 4)}});
  const std::pair<std::string, std::string_view> cases[] = {
      {"table rope", "expected layout half, interleaved"},
      {"table rope --layout halves", "half, interleaved, interleaved-in-half-out"},
      {"table rope --layout half --rotary_dim 7", "expected rotary_dim"},
      {"table rope --preset llama4-nope", "no pair rotates"},
      {"table rope --layout half --scaling.factor 2",
       "expected --scaling linear or dynamic-linear or ntk or"},
      {"table rope --layout half --scaling linear --scaling.factor 0", "above 0"},
      {"table rope --preset qwen2-vl --positions 0:4", "expected positions on 3 axes"},
      {"table rope --preset qwen2-vl --axes.sections 1,2,3", "section"},
      {"shift rope", "which adds no rows"},
      {"show rope --layout half --kind heatmap --compare yarn", "expected --compare with the kind"},
      {"show rope --layout half --kind rules --compare ' ; '", "in --compare, got none"},
      {"show rope --layout half --kind rules --compare ';'", "in --compare, got none"},
      {"show rope --layout half --kind rules --compare yern", "did you mean 'yarn'?"},
      {"show rope --layout half --kind rules --compare 'yarn beta=1'", "beta_fast and"},
      {"show rope --layout half --kind rules --compare 'yarn bta=1'", "unknown option 'bta'"},
      {"show sinusoidal --kind rules", "expected a rotary scheme"},
      {"show sinusoidal --kind wavelengths --compare linear", "unknown preset 'linear'"},
      {"apply rope --layout half --in x.npy --out y.npy --shape thx", "expected --shape"},
      {"apply rope --layout half --in x.npy --out y.npy --shape th", "expected --shape"},
      {"apply rope --layout half --in x.npy --out y.npy --inverse --adjoint", "got both"},
      {"apply rope --layout half --in x.npy --out y.npy --keys k", ".safetensors for --keys"},
      {"apply rope --layout half --in x.safetensors --out y.safetensors --tensor q --keys q",
       "expected --keys other than --tensor, got q for both"},
      {"apply rope --layout half --shape thd --in x.npy --out y.npy --positions 0:3",
       "for the 4 tokens"},
      {"apply rope --shape thd --in x.npy --out y.npy", "expected layout"},
      {"apply sinusoidal --in x.npy --out y.npy --inverse", "expected a rotary scheme"},
  };
  for (const auto& [arguments, part] : cases) expect_refusal(arguments, 2, part);
  expect_refusal("apply rope --layout half --dim 6 --shape thd --in x.npy --out y.npy", 1,
                 "heads, 6]");
  expect_refusal("apply rope --layout half --shape bbthd --in x.npy --out y.npy", 1,
                 "whose last axes are bbthd");
}

// What a config.json says in one object goes after --scaling as it stands there.
TEST_F(Tool, ScalingOfAConfiguration) {
  const std::string rest = " --positions 0:5 --dtype f64 --json";
  const std::string begin = "table rope --layout half --dim 64 --base 500000 ";
  const Json own = json(begin + "--rotary_dim 32 --scaling yarn --scaling.factor 4 " +
                        "--scaling.original_max_position_embeddings 2048" + rest);
  const Json said = json(begin + R"(--scaling '{"rope_type": "yarn", "factor": 4.0, )" +
                         R"("original_max_position_embeddings": 2048, "rope_theta": 500000.0, )" +
                         R"("partial_rotary_factor": 0.5}')" + rest);
  EXPECT_EQ(own["rows"], said["rows"]);
  expect_refusal(begin + R"(--scaling '{"rope_type": "yarn", "facter": 4}' --positions 0:5)", 2,
                 "unknown option 'scaling.facter'");
  expect_refusal(begin + R"(--scaling '{"rope_type": }' --positions 0:5)", 2,
                 "expected a value at byte");
}

}  // namespace
}  // namespace posenc::rotary_test
