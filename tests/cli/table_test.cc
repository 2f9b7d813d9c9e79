// table_test.cc: posenc table and posenc apply against the formula and the library.
#include <cmath>
#include <sstream>

#include "posenc/posenc.h"
#include "tests/cli/tool.h"

namespace posenc::table_test {
namespace {

// The paper, once more: pair k of a row of dim columns.
double paper(double p, int64_t column, int64_t dim, double base = 10000) {
  const double w =
      std::pow(base, -2.0 * static_cast<double>(column / 2) / static_cast<double>(dim));
  return column % 2 == 0 ? std::sin(p * w) : std::cos(p * w);
}

TEST_F(Tool, JsonIsTheTable) {
  const Json table = json("table sinusoidal --dim 6 --base 500 --positions 3:9:2 --json");
  EXPECT_EQ(table["scheme"], "sinusoidal");
  EXPECT_EQ(table["positions"], Json({3, 5, 7}));
  EXPECT_EQ(table["options"]["dim"], 6);
  ASSERT_EQ(table["rows"].size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(table["rows"][i].size(), 6u);
    for (size_t c = 0; c < 6; ++c)  // half an ulp of f32, and std::pow and std::sin in f64
      EXPECT_NEAR(table["rows"][i][c].get<double>(),
                  paper(3 + 2 * static_cast<double>(i), static_cast<int64_t>(c), 6, 500), 3.1e-8);
  }
}

TEST_F(Tool, DigitsRoundTrip) {
  const Absolute scheme = Sinusoidal{.dim = 7};
  std::vector<float> f32(5 * 7);
  std::vector<double> f64(5 * 7);
  fill(scheme, tensor(f32.data(), {5, 7}), range(1000000));
  fill(scheme, tensor(f64.data(), {5, 7}), range(1000000));
  const std::string arguments = "table sinusoidal --dim 7 --positions 1000000:1000005 ";
  const Json narrow = json(arguments + "--json"), wide = json(arguments + "--json --dtype f64");
  for (size_t i = 0; i < f32.size(); ++i) {
    EXPECT_EQ(narrow["rows"][i / 7][i % 7].get<double>(), f32[i]);
    EXPECT_EQ(wide["rows"][i / 7][i % 7].get<double>(), f64[i]);
  }
}

TEST_F(Tool, EveryFormOfPositions) {
  const auto positions = [&](const std::string& text,
                             const std::string& scheme = "sinusoidal --dim 2") {
    return json("table " + scheme + " --json --positions " + text)["positions"];
  };
  EXPECT_EQ(positions("5"), Json({5}));
  EXPECT_EQ(positions("0:4"), Json({0, 1, 2, 3}));
  EXPECT_EQ(positions("0:100:30"), Json({0, 30, 60, 90}));
  EXPECT_EQ(positions("0:90:30"), Json({0, 30, 60}));
  EXPECT_EQ(positions("0,3,100"), Json({0, 3, 100}));
  EXPECT_EQ(positions("-3:0"), Json({-3, -2, -1}));
  EXPECT_EQ(positions("3:-3:-2"), Json({3, 1, -1}));
  EXPECT_EQ(positions("7,0:2,2147483648"), Json({7, 0, 1, 2147483648}));
  EXPECT_EQ(positions("0.5,1.25"), Json({0.5, 1.25}));
  EXPECT_EQ(positions("0:1:0.25"), Json({0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(positions("0:0.9:0.3").size(), 3u) << "0.3 * 3 falls short of 0.9 only by rounding";
  EXPECT_EQ(positions("4611686018427387903"), Json({(int64_t{1} << 62) - 1}));
  EXPECT_EQ(positions("'0,0.5;1,2'", "nerf --coordinates 2"), Json({{0, 1}, {0.5, 2}}));
}

TEST_F(Tool, OptionOrderDoesNotMatter) {
  const std::string expected = output(
      "table sinusoidal --preset tensor2tensor --dim 8 --rule timescales --rule.max_timescale "
      "20000 "
      "--positions 0:4 --json");
  EXPECT_EQ(
      output("table --json --rule.max_timescale 20000 --positions 0:4 --rule timescales --dim 8 "
             "sinusoidal --preset tensor2tensor"),
      expected);
  EXPECT_EQ(
      output("table --rule.max_timescale=20000 --positions=0:4 --rule=timescales --dim=8 --json "
             "--preset=tensor2tensor sinusoidal"),
      expected);
  EXPECT_EQ(output("table sinusoidal --learned_scale --dim 2 --json"),
            output("table sinusoidal --dim 2 --json --learned_scale true"));
}

TEST_F(Tool, EverySchemeAndPresetGivesRows) {
  for (const SchemeInfo& scheme : schemes())
    for (const PresetInfo& preset : scheme.presets) {
      if (scheme.acts_on == "scores" || preset.name == "llama4-nope") continue;  // no rows
      const Json table = json("table " + scheme.name + " --json --preset " + preset.name);
      EXPECT_EQ(table["scheme"], scheme.name);
      EXPECT_EQ(table["rows"].size(), table["positions"].size()) << preset.name;
      EXPECT_EQ(table["rows"].size(), 8u) << preset.name;
    }
}

TEST_F(Tool, FilesHoldWhatJsonSays) {
  for (const std::string dtype : {"f32", "f64", "f16", "bf16"}) {
    const std::string arguments = "table sinusoidal --dim 5 --positions 2,99,-7 --dtype " + dtype;
    const Json rows = json(arguments + " --json")["rows"];
    for (const std::string file : {"t.npy", "t.safetensors"}) {
      if (dtype == "bf16" && file == "t.npy") continue;
      EXPECT_EQ(output(arguments + " --out " + file), "");
      const Array array = read_array(path(file));
      EXPECT_EQ(describe(array.view()), dtype + " [3, 5]");
      const auto numbers = values(array.view());
      for (size_t i = 0; i < 15; ++i) {
        EXPECT_EQ(numbers[i], rows[i / 5][i % 5].get<double>()) << file;
      }
    }
  }
  EXPECT_EQ(read_metadata(path("t.safetensors")).at("positions"), "2,99,-7");
}

TEST_F(Tool, FormatsToFilesEqualFormatsToOutput) {
  const std::string arguments = "table sinusoidal --dim 20 --positions 0:40 ";
  for (const auto& [file, format] : {std::pair{"t.csv", "--format csv"},
                                     {"t.json", "--json"},
                                     {"t.txt", "--format text --full"},
                                     {"t.bin", "--format npy"}}) {
    const std::string to = std::string(" --out ") + file;
    output(arguments + format + to);
    EXPECT_EQ(read(file),
              output(arguments + format + (file == std::string("t.bin") ? " --out -" : "")));
  }
  const std::string csv = read("t.csv");
  EXPECT_TRUE(csv.starts_with("position,0,1,2,")) << csv.substr(0, 40);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 41);
}

TEST_F(Tool, TextShowsWhatFits) {
  const std::string page = output("table sinusoidal --positions 0:1000000000000");
  EXPECT_LT(std::count(page.begin(), page.end(), '\n'), 40);
  EXPECT_NE(page.find("of 512; --full shows all"), std::string::npos) << page;
  EXPECT_NE(page.find("of 1000000000000 positions"), std::string::npos) << page;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u);
}

TEST_F(Tool, LearnedWeights) {
  const std::string arguments = "table learned --dim 3 --rows 4 --positions 0:4 --json";
  EXPECT_EQ(output(arguments), output(arguments + " --seed 0"));
  EXPECT_NE(output(arguments), output(arguments + " --seed 1"));
  Array table = make_array(DType::f32, {4, 3}), alpha = make_array(DType::f32, {1});
  for (size_t i = 0; i < 12; ++i) table.values<float>()[i] = static_cast<float>(i);
  alpha.values<float>()[0] = 2;
  write_arrays(path("w.safetensors"), {{"table", table}, {"alpha", alpha}, {"other", alpha}});
  write_arrays(path("w.npy"), {{"", table}});
  EXPECT_EQ(json(arguments + " --weights w.npy")["rows"][3], Json({9, 10, 11}));
  EXPECT_EQ(json(arguments + " --weights w.safetensors --learned_scale --scale 3")["rows"][1],
            Json({18, 24, 30}));
}

TEST_F(Tool, ThreadsDoNotChangeNumbers) {
  output("table sinusoidal --positions 5:3000 --out one.npy --threads 1");
  output("table sinusoidal --positions 5:3000 --out two.npy --threads 2");
  EXPECT_EQ(read("one.npy"), read("two.npy"));
}

// x + row in the compute type, then one rounding: what the library's add gives.
TEST_F(Tool, ApplyAdds) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    Array x = make_array(dtype, {2, 3, 8});
    fill(Absolute(Sinusoidal{.dim = 8, .base = 77}), x.view(), range(40));
    const std::string file = dtype == DType::bf16 ? "x.safetensors" : "x.npy";
    write_arrays(path(file), {{"x", x}});
    const std::string out = file == "x.npy" ? "y.npy" : "y.safetensors";
    output("apply sinusoidal --preset fairseq --positions 9:12 --in " + file + " --out " + out);
    const Scheme scheme = make_scheme("sinusoidal", {{"preset", "fairseq"}, {"dim", "8"}});
    add(*as_family<Absolute>(scheme), x.view(), range(9));
    expect_same(read_array(path(out)), x);
  }
}

TEST_F(Tool, ApplyLeavesTheRestOfAFileAlone) {
  // Two tensors we can read and one of a type we cannot, between them.
  const std::string header =
      R"({"__metadata__":{"made":"by hand"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
      R"("mask":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]},)"
      R"("z":{"dtype":"F32","shape":[1,2],"data_offsets":[11,19]}})";
  const float a[] = {1, 2}, z[] = {3, 4};
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  file += header + std::string(reinterpret_cast<const char*>(a), 8) + std::string("\1\0\1", 3) +
          std::string(reinterpret_cast<const char*>(z), 8);
  ASSERT_LT(header.size(), 256u);
  write("in.safetensors", file);
  output("apply sinusoidal --tensor z --in in.safetensors --out out.safetensors");
  output("apply sinusoidal --tensor z --in in.safetensors --out in.safetensors");
  EXPECT_EQ(read("in.safetensors"), read("out.safetensors"));
  EXPECT_EQ(values(read_array(path("out.safetensors"), "a").view()), (std::vector<double>{1, 2}));
  EXPECT_EQ(values(read_array(path("out.safetensors"), "z").view()), (std::vector<double>{3, 5}));
  const std::string out = read("out.safetensors");
  EXPECT_EQ(out.substr(out.size() - 11, 3), std::string("\1\0\1", 3));
  const auto metadata = read_metadata(path("out.safetensors"));
  EXPECT_EQ(metadata.at("made"), "by hand");
  EXPECT_EQ(Json::parse(metadata.at("posenc.z"))["scheme"], "sinusoidal");
}

TEST_F(Tool, ApplyReadsPipes) {
  output("table sinusoidal --dim 8 --positions 0:4 --out x.npy");
  output("apply sinusoidal --in x.npy --out y.npy");
  EXPECT_EQ(shell("cat x.npy | posenc apply sinusoidal --in - --out z.npy").code, 0);
  EXPECT_EQ(read("y.npy"), read("z.npy"));
}

}  // namespace
}  // namespace posenc::table_test
