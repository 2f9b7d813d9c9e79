// positions_test.cc: posenc positions against worked numbers and the library.
#include "posenc/positions/segments.h"

#include <numbers>
#include <sstream>

#include "tests/cli/tool.h"

namespace posenc::positions_test {
namespace {

class PositionsTool : public Tool {
 protected:
  // The positions of a plan, [axes][rows][tokens].
  Json planned(const std::string& arguments) const {
    return json("positions " + arguments + " --json")["positions"];
  }
};

TEST_F(PositionsTool, Sequences) {
  EXPECT_EQ(planned("range --start -2 --tokens 4"), Json::parse("[[[-2, -1, 0, 1]]]"));
  EXPECT_EQ(planned("offsets --starts 0,5 --tokens 2"), Json::parse("[[[0, 1], [5, 6]]]"));
  EXPECT_EQ(planned("cache --past 3,7"), Json::parse("[[[3], [7]]]"));
  EXPECT_EQ(planned("packed --lengths 3,2"), Json::parse("[[[0, 1, 2, 0, 1]]]"));
  EXPECT_EQ(planned("packed --lengths 3,2 --starts 9,-1"), Json::parse("[[[9, 10, 11, -1, 0]]]"));
  EXPECT_EQ(planned("padding --mask 00111 --pad_rule opt-rows"),
            Json::parse("[[[1, 1, 2, 3, 4]]]"));
  EXPECT_EQ(planned("padding --mask 0111,1110 --cached 2"), Json::parse("[[[1, 2], [2, 0]]]"));
}

TEST_F(PositionsTool, ShardsOfEveryRankOrOfOne) {
  EXPECT_EQ(planned("shard --tokens 16 --ranks 2"),
            Json::parse("[[[0, 1, 2, 3, 12, 13, 14, 15], [4, 5, 6, 7, 8, 9, 10, 11]]]"));
  EXPECT_EQ(planned("shard --tokens 6 --ranks 3 --rank 1 --slices contiguous"),
            Json::parse("[[[2, 3]]]"));
  EXPECT_EQ(planned("shard --lengths 4,8 --ranks 2 --rank 0"),
            Json::parse("[[[0, 3, 0, 1, 6, 7]]]"));
}

TEST_F(PositionsTool, Grids) {
  EXPECT_EQ(planned("grid --size 2x3"),
            Json::parse("[[[0, 0, 0, 1, 1, 1]], [[0, 1, 2, 0, 1, 2]]]"));
  EXPECT_EQ(planned("grid --size 2x1x2 --time_axis --sides xy"),
            Json::parse("[[[0, 0, 1, 1]], [[0, 1, 0, 1]], [[0, 0, 0, 0]]]"));
  EXPECT_EQ(planned("grid --size 1x2 --shift 1 --after 1"),
            Json::parse("[[[1, 1, 0]], [[1, 2, 0]]]"));
  EXPECT_EQ(planned("grid --size 1x2 --place centers"),
            Json::parse("[[[0.0, 0.0]], [[-0.5, 0.5]]]"));
  EXPECT_EQ(planned("grid --size 1x2 --place centers --side max"),
            Json::parse("[[[-0.5, -0.5]], [[-0.5, 0.5]]]"));
  EXPECT_EQ(planned("grid --size 2x2 --place linspace --reference 4x6"),
            Json::parse("[[[-2.0, -2.0, 2.0, 2.0]], [[-3.0, 3.0, -3.0, 3.0]]]"));
  EXPECT_EQ(planned("grid --size 1x2 --place index --shift 0.5"),
            Json::parse("[[[0.5, 0.5]], [[0.5, 1.5]]]"));
  EXPECT_EQ(planned("grid --size 2x4 --place table --reference 4x2 --before 1"),
            Json::parse("[[[-1.0, 0.5, 0.5, 0.5, 0.5, 2.5, 2.5, 2.5, 2.5]],"
                        " [[-1.0, -0.25, 0.25, 0.75, 1.25, -0.25, 0.25, 0.75, 1.25]]]"));
  EXPECT_EQ(planned("grid --size 2x2 --place corners --reference 4x6 --merge 2"),
            Json::parse("[[[0.0, 0.0, 3.0, 3.0]], [[0.0, 5.0, 0.0, 5.0]]]"));
  EXPECT_NEAR(planned("grid --size 2x1 --place detr")[0][0][1].get<double>(),
              2 * std::numbers::pi * 2 / (2 + 1e-6), 1e-15);
  expect_refusal("positions grid --place table", 2, "expected --reference HEIGHTxWIDTH");
  expect_refusal("positions grid --place detr --reference 2x2", 2, "expected another --place");
  // The middle of seven places is three steps from the end, and in f32 a step is no third.
  EXPECT_EQ(planned("grid --size 1x7 --place linspace")[1][0][3].get<double>(), 0);
  EXPECT_EQ(planned("grid --size 1x7 --place linspace --f32")[1][0][3].get<double>(),
            1 - 3.0 * (2.0f / 6.0f));
}

TEST_F(PositionsTool, Segments) {
  const Json plan = json("positions segments --segments text:2,image:2x3,text:2 --json");
  EXPECT_EQ(plan["axes"], Json({"t", "h", "w"}));
  EXPECT_EQ(plan["rope_delta"], -3);
  EXPECT_EQ(plan["positions"][1][0], Json({0, 1, 2, 2, 2, 3, 3, 3, 5, 6}));
  EXPECT_EQ(plan["parts"][0][1], Json({{"name", "image"}, {"tokens", 6}}));
  const std::string clip = "segments --segments text:2,video:8x2x2,text:1";
  EXPECT_EQ(planned(clip)[0][0][34], 4);
  EXPECT_EQ(planned(clip + " --counter largest")[0][0][34], 10);
}

TEST_F(PositionsTool, EveryModelAndItsRefinements) {
  const std::vector<Segment> list{Segment::text(3), Segment::video(4, 4, 8, 0.75),
                                  Segment::text(2)};
  for (const auto& preset : SegmentRule::presets()) {
    const Json plan = json(
        "positions segments --segments text:3,video:4x4x8@0.75,text:2 --json "
        "--model " +
        std::string(preset.name));
    if (preset.value.time == TimeRule::real_f32) {  // no whole positions
      EXPECT_EQ(plan["rope_delta"], segment_coordinates(list, preset.value).rope_delta);
      continue;
    }
    const auto expected = segments(list, preset.value);
    std::vector<int64_t> ids;
    for (const Json& axis : plan["positions"])
      for (const Json& id : axis[0]) ids.push_back(id);
    EXPECT_EQ(ids, expected.positions.ids) << preset.name;
    EXPECT_EQ(plan["rope_delta"], expected.rope_delta) << preset.name;
  }
  const std::string clip = "segments --model qwen2.5-vl --segments video:3x2x2@0.5";
  EXPECT_EQ(planned(clip)[0][0], Json({0, 1, 2}));
  EXPECT_EQ(planned(clip + " --time whole-seconds")[0][0], Json({0, 0, 0}));
  EXPECT_EQ(planned(clip + " --tokens_per_second 25")[0][0], Json({0, 12, 25}));
}

TEST_F(PositionsTool, FilesHoldWhatJsonSays) {
  const std::string arguments = "positions segments --segments text:2,image:2x3";
  for (const std::string file : {"p.npy", "p.safetensors"}) {
    EXPECT_EQ(output(arguments + " --out " + file), "");
    Array array = read_array(path(file));
    EXPECT_EQ(describe(array.view()), "i64 [3, 1, 8]");
    const auto flat = array.values<int64_t>();
    const Json expected = json(arguments + " --json")["positions"];
    for (size_t i = 0; i < 24; ++i) EXPECT_EQ(flat[i], expected[i / 8][0][i % 8]);
  }
  EXPECT_EQ(read_metadata(path("p.safetensors")).at("rope_delta"), "-3");
  output("positions grid --place centers --out real.npy");
  EXPECT_EQ(describe(read_array(path("real.npy")).view()), "f64 [2, 1, 6]");
}

TEST_F(PositionsTool, DrawsAStrip) {
  EXPECT_EQ(output("positions segments"),
            "token  0  1  2  3  4  5  6  7  8  9\n"
            "       T  T  I  I  I  I  I  I  T  T\n"
            "t      0  1  2  2  2  2  2  2  5  6\n"
            "h      0  1  2  2  2  3  3  3  5  6\n"
            "w      0  1  2  3  4  2  3  4  5  6\n"
            "T text, I image\n"
            "rope_delta -3: while decoding, token i is at i-3\n");
  EXPECT_EQ(output("positions shard --tokens 4 --ranks 2"),
            "token   0  1\n"
            "        A  D\n"
            "rank 0  0  3\n"
            "        B  C\n"
            "rank 1  1  2\n"
            "A chunk 0, D chunk 3, B chunk 1, C chunk 2\n");
  EXPECT_EQ(output("positions range --tokens 0"), "no tokens\n");
}

TEST_F(PositionsTool, LongStripsAreCutAndSaySo) {
  const auto expect_page = [&](const std::string& arguments, std::string_view part) {
    const std::string page = output("positions " + arguments);
    EXPECT_NE(page.find(part), page.npos) << page;
    EXPECT_LE(std::count(page.begin(), page.end(), '\n'), 30) << page;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  };
  expect_page("range --tokens 100000", "of 100000 tokens in 1 of 1 rows; --full shows all");
  expect_page("offsets --starts 0:1000", "8 of 8 tokens in 12 of 1000 rows");
  expect_page("range --start 9000000000000000000 --tokens 500", "of 500 tokens");
  expect_page("packed --lengths 1:40", "...");
  const std::string full = output("positions range --tokens 1000 --full");
  EXPECT_NE(full.find(" 999\n"), full.npos);
  EXPECT_EQ(full.find("--full"), full.npos);
}

TEST_F(PositionsTool, RefusesWhatWasTyped) {
  const std::pair<std::string, std::string_view> cases[] = {
      {"", "expected a KIND"},
      {"rnage", "did you mean 'range'?"},
      {"range --mask 01", "expected positions padding with --mask, got range"},
      {"range --tokens -1", "tokens of at least 0"},
      {"range --tokens 4611686018427387904", "free memory"},
      {"range --start 9223372036854775807 --tokens 2", "fit 64 bits"},
      {"offsets --starts 1.5", "whole positions"},
      {"offsets --starts x", "expected positions"},
      {"cache --past -1", "past lengths of at least 0"},
      {"padding --mask 012", "expected a mask of 0 and 1"},
      {"padding --mask 01,1", "rows of equal length"},
      {"padding --mask 01,,10", "rows of equal length"},
      {"padding --mask 01 --pad_rule robreta", "did you mean 'roberta'?"},
      {"padding --mask 01 --cached 3", "expected past from 0 to the 2 tokens"},
      {"packed --lengths 3,-1", "lengths of at least 0"},
      {"packed --lengths 9223372036854775807,1", "fits 64 bits"},
      {"packed --lengths 3 --starts 1,2", "expected 1 first positions"},
      {"shard --tokens 18", "divisible into 4 equal chunks"},
      {"shard --ranks 0", "ranks of at least 1"},
      {"shard --rank 2", "expected a rank from 0 to 1"},
      {"grid --size 3", "HEIGHTxWIDTH"},
      {"grid --size 3xx", "expected size"},
      {"grid --size -3x2", "size of at least 0"},
      {"grid --size 3x4 --merge 2", "divisible by merge 2"},
      {"grid --size 99999999999x99999999999", "fits 64 bits"},
      {"grid --size 2x2 --shift 0.5", "whole --shift"},
      {"grid --size 2x2x2 --place centers", "expected one frame"},
      {"grid --place centers --merge 2", "expected another --place for --merge"},
      {"grid --side min", "expected another --place for --side"},
      {"grid --f32", "expected another --place for --f32"},
      {"segments --segments texts:2", "expected segments such as"},
      {"segments --segments text:two", "expected text to be an integer"},
      {"segments --segments image:2", "HEIGHTxWIDTH"},
      {"segments --segments image:2x2@1", "seconds and sound only for a video"},
      {"segments --segments video:2x2x2@-1", "seconds of at least 0"},
      {"segments --model qwen2-vl --segments image:2x3", "divisible by 2"},
      {"segments --model qwen2vl", "did you mean 'qwen2-vl'?"},
      {"segments --segments video:2x1x1@1e300 --time product", "fit 64 bits"},
      {"segments --counter side", "did you mean 'sides'?"},
      {"range --out p.txt", ".npy or .safetensors"},
  };
  for (const auto& [arguments, part] : cases) expect_refusal("positions " + arguments, 2, part);
  expect_refusal("positions range --out missing/p.npy", 1, "missing");
}

}  // namespace
}  // namespace posenc::positions_test
