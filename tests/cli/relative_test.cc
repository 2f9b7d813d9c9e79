// relative_test.cc: list, table, apply, show and check with schemes that act on scores.
#include <cmath>

#include "base/dispatch.h"
#include "base/half.h"
#include "posenc/posenc.h"
#include "tests/cli/tool.h"
#include "tests/support/random.h"

namespace posenc::relative_test {
namespace {

Array random_scores(DType dtype, std::vector<int64_t> shape, uint64_t seed) {
  Random random(seed);
  Array out = make_array(dtype, std::move(shape));
  dispatch(dtype, [&]<class T>() {
    for (T& x : out.values<T>()) x = rounded_to<T>(static_cast<Compute<T>>(random.real()));
  });
  return out;
}

// Slopes of 4 heads are 1/4, 1/16, 1/64 and 1/256, and all products with them are exact.
TEST_F(Tool, BiasTableHasARowForEachDistance) {
  const Json table = json("table alibi --heads 4 --positions -3,0,5,1000000 --json");
  EXPECT_EQ(table["distances"], Json({-3, 0, 5, 1000000}));
  EXPECT_EQ(table["columns"], Json({"head_0", "head_1", "head_2", "head_3"}));
  for (size_t i = 0; i < 4; ++i)
    for (size_t h = 0; h < 4; ++h)
      EXPECT_EQ(table["rows"][i][h].get<double>(),
                -std::ldexp(std::abs(table["distances"][i].get<double>()),
                            -2 * (static_cast<int>(h) + 1)));
  const Json keys = json("table alibi --heads 4 --form keys --positions 6 --json");
  EXPECT_EQ(keys["keys"], Json({6}));
  EXPECT_EQ(keys["rows"][0][0], 1.5);
  EXPECT_EQ(output("table alibi --heads 1 --positions 256,512 --format csv"),
            "distance,head_0\n256,-1\n512,-2\n");
  EXPECT_NE(output("table alibi").find("distance     head_0"), std::string::npos);
}

TEST_F(Tool, BiasTableOfQueriesAndKeys) {
  const std::string arguments = "table alibi --heads 2 --queries 4,9 --keys 0:3 ";
  output(arguments + "--out t.safetensors");
  const Array array = read_array(path("t.safetensors"));
  EXPECT_EQ(describe(array.view()), "f32 [2, 2, 3]");
  const Json table = json(arguments + "--json");
  EXPECT_EQ(table["heads_and_queries"], Json({{0, 4}, {0, 9}, {1, 4}, {1, 9}}));
  const auto numbers = values(array.view());
  for (size_t i = 0; i < 12; ++i) {
    const double distance = (i / 3 % 2 == 0 ? 4.0 : 9.0) - static_cast<double>(i % 3);
    EXPECT_EQ(numbers[i], -distance * (i < 6 ? 0x1p-4 : 0x1p-8));
    EXPECT_EQ(table["rows"][i / 3][i % 3], numbers[i]);
  }
  EXPECT_EQ(read_metadata(path("t.safetensors")).at("queries"), "4,9");
  EXPECT_NE(output("table window --height 2 --width 3").find("head query"), std::string::npos);
  EXPECT_NE(output("table dynamic --layer_norm --heads 2").find("head_1"), std::string::npos);
}

TEST_F(Tool, BiasTableReadsWeights) {
  const Array table = random_scores(DType::f32, {8, 3}, 1);
  write_arrays(path("w.npy"), {{"", table}});
  const std::string start = "table t5 --heads 3 --buckets 8 --max_distance 20 --weights w.npy ";
  const Json rows = json(start + "--positions -1,0,1,500 --json")["rows"];
  const size_t buckets[] = {1, 0, 5, 7};
  for (size_t i = 0; i < 4; ++i)
    for (size_t h = 0; h < 3; ++h)
      EXPECT_EQ(rows[i][h].get<float>(), values(table.view())[buckets[i] * 3 + h]);
  expect_refusal("table t5 --heads 4 --weights w.npy", 1, "table");
}

TEST_F(Tool, EveryBiasAndPresetGivesNumbers) {
  for_each_alternative<Bias>([&]<class S>(const S& scheme) {
    for (const auto& preset : S::presets()) {
      const std::string named =
          std::string(scheme.name) + " --preset " + std::string(preset.name) + " ";
      const Json table = json("table " + named + "--json");
      EXPECT_EQ(table["scheme"], scheme.name);
      EXPECT_EQ(table["rows"][0].size(), table["columns"].size());
      output("show " + named);
    }
  });
}

void expect_equal(const Array& a, const Array& b) {
  ASSERT_EQ(describe(a.view()), describe(b.view()));
  EXPECT_EQ(a.bytes, b.bytes);
}

TEST_F(Tool, ApplyAddsBiasesAsTheLibraryDoes) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    Array scores = random_scores(dtype, {2, 3, 4, 11}, 2);
    write_arrays(path("x.safetensors"), {{"scores", scores}, {"other", scores}});
    output(
        "apply alibi --in x.safetensors --tensor scores --causal --first_query 7 "
        "--softmax_scale 0.125 --scale_on sum --out y.safetensors");
    expect_equal(read_array(path("y.safetensors"), "other"), scores);
    add(prepare(Alibi{.heads = 3}), scores.view(), scores.view(),
        {.queries = range(7), .causal = true, .scale = 0.125, .scale_on = ScaleOn::sum});
    expect_equal(read_array(path("y.safetensors"), "scores"), scores);
  }
  const Json note = Json::parse(read_metadata(path("y.safetensors")).at("posenc.scores"));
  EXPECT_EQ(note["first_query"], 7);
  EXPECT_EQ(note["options"]["heads"], 3);
}

TEST_F(Tool, ApplyAddsTheHeadsOfAShardAndKeepsMasks) {
  Array scores = random_scores(DType::f32, {3, 5, 5}, 3);
  scores.values<float>()[4] = -INFINITY;
  write_arrays(path("x.npy"), {{"", scores}});
  output("apply alibi --in x.npy --heads 8 --first_head 4 --first_key -4 --form keys --out y.npy");
  add(prepare(Alibi{.heads = 8, .form = AlibiForm::keys}), scores.view(), scores.view(),
      {.keys = range(-4), .first_head = 4});
  expect_equal(read_array(path("y.npy")), scores);
}

TEST_F(Tool, ShowDrawsBiases) {
  for (const std::string arguments :
       {"alibi", "alibi --kind heatmap --head 7", "t5 --kind buckets", "clipped --kind buckets",
        "window --kind buckets", "window --height 3 --width 4", "fire", "continuous --hidden 8"}) {
    EXPECT_NE(output("show " + arguments), "");
    output("show " + arguments + " --out p.png");
    EXPECT_TRUE(read("p.png").starts_with("\x89PNG")) << arguments;
  }
}

TEST_F(Tool, CheckTellsBiasesApart) {
  const auto verdicts = [&](const std::string& arguments) {
    std::string out;
    const Json answer = json("check " + arguments + " --json");
    for (const Json& p : answer["properties"]) out += p["verdict"].get<std::string>().substr(0, 1);
    return out;
  };
  EXPECT_EQ(verdicts("alibi"), "hhhhh");
  EXPECT_EQ(verdicts("alibi --form keys"), "fhhhh");
  EXPECT_EQ(verdicts("t5"), "hhfhh");
  EXPECT_EQ(verdicts("window"), "fffnh");
}

TEST_F(Tool, RefusesWhatActsOnScores) {
  write_arrays(path("x.npy"), {{"", random_scores(DType::f32, {3, 5, 5}, 4)}});
  write_arrays(path("line.npy"), {{"", random_scores(DType::f32, {5, 5}, 5)}});
  const std::pair<std::string, std::string_view> cases[] = {
      {"table shaw", "reads queries, keys or gates"},
      {"table gated-t5", "reads hidden states: it is for the library's add"},
      {"show deberta", "reads queries, keys or gates"},
      {"check cope", "reads queries, keys or gates"},
      {"apply shaw --in x.npy --out y.npy", "reads queries, keys or gates"},
      {"shift alibi", "adds no rows"},
      {"accuracy alibi", "acts on scores"},
      {"table alibi --length 5", "expected a rotary scheme with --length"},
      {"table t5 --positions 0.5", "whole positions"},
      {"table alibi --positions 0:4 --keys 0:4", "got both"},
      {"table fire --positions 0:4", "expected --queries and --keys"},
      {"table window --queries 49", "from 0 to 48"},
      {"table sinusoidal --keys 0:4", "expected a bias of scores"},
      {"table alibi --heads 0", "expected heads"},
      {"apply alibi --in x.npy --out y.npy --positions 0:5", "--queries"},
      {"apply alibi --in x.npy --out y.npy --inverse", "expected a rotary scheme"},
      {"apply sinusoidal --in x.npy --out y.npy --causal", "expected a bias of scores"},
      {"apply alibi --in x.npy --out y.npy --heads 2", "up to 2 heads"},
      {"apply alibi --in x.npy --out y.npy --heads 8 --first_head 6", "first_head from 0 to 5"},
      {"apply alibi --in x.npy --out y.npy --heads 8",
       "expected scores of all 8 heads, or first_head where they hold some of them"},
      {"show alibi --kind waves", "heatmap, curves or buckets"},
      {"show alibi --kind buckets", "t5, clipped or window"},
      {"show alibi --kind heatmap --head 8", "--head from 0 to 7"},
      {"show alibi --compare base=3", "with --compare, got alibi"},
      {"show fire --kind curves", "reads query and key"},
      {"show window --kind buckets --positions 0:50", "from 0 to 48"},
      {"show alibi --kind heatmap --positions 0:5000", "at most 2048"},
      {"show sinusoidal --kind curves", "expected a bias of scores"},
  };
  for (const auto& [arguments, part] : cases) expect_refusal(arguments, 2, part);
  expect_refusal("apply alibi --in line.npy --out y.npy", 1, "[..., heads, queries, keys]");
}

}  // namespace
}  // namespace posenc::relative_test
