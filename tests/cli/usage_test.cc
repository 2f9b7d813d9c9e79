// usage_test.cc: bad input of every kind gets one sentence and its exit code.
#include "tests/cli/tool.h"

namespace posenc::usage_test {
namespace {

struct Bad {
  std::string arguments;
  std::string_view part;
};

TEST_F(Tool, RefusesWhatWasTypedWithCode2) {
  const Bad cases[] = {
      {"", "expected a command"},
      {"tabel sinusoidal", "did you mean 'table'?"},
      {"--nonsense", "unknown command"},
      {"sinusoidal --dim 8", "expected a command before the scheme"},
      {"table sinusoidal dim 8", "did you mean '--dim'?"},
      {"table sinusoidal ---- 8", "unknown option '----'"},
      {"table", "expected a SCHEME"},
      {"table sinusiodal", "did you mean 'sinusoidal'?"},
      {"table sinusoidal other", "got 'other'"},
      {"table sinusoidal --dmi 8", "did you mean '--dim'?"},
      {"table sinusoidal --bands 3", "expected an option of sinusoidal, got --bands"},
      {"table sinusoidal --dim", "expected a value after --dim"},
      {"table sinusoidal --dim=", "expected a value after --dim="},
      {"table sinusoidal --dim 8 --dim 9", "once, got it 2 times"},
      {"table sinusoidal -\xc3\xa9", "unknown option '-\xc3\xa9'"},
      {"positions sequence -5", "got '-5'"},
      {"table sinusoidal --dim --json", "expected a value after --dim, got --json"},
      {"table sinusoidal --dim eight", "expected dim to be an integer"},
      {"table sinusoidal --dim 0", "expected dim from 1"},
      {"table sinusoidal --dim -8", "expected dim from 1"},
      {"table sinusoidal --dim 99999999999999999999", "to fit an integer of 64 bits"},
      {"table sinusoidal --dim 2000000", "expected dim from 1"},
      {"table sinusoidal --base nan", "finite"},
      {"table sinusoidal --base -1", "above 0"},
      {"table sinusoidal --base 1e999", "expected base"},
      {"table sinusoidal --order halfs", "did you mean 'halves'?"},
      {"table sinusoidal --learned_scale=maybe", "true or false"},
      {"table sinusoidal --preset whsiper", "did you mean 'whisper'?"},
      {"table sinusoidal --rule timescale", "did you mean 'timescales'?"},
      {"table sinusoidal --rule.max_timescale 5", "expected --rule timescales with"},
      {"table sinusoidal --dtype f31", "dtype"},
      {"table sinusoidal --format jsn", "did you mean 'json'?"},
      {"table sinusoidal --format csv --json", "expected one format"},
      {"table sinusoidal --format npy", "expected --out FILE"},
      {"table sinusoidal --dtype bf16 --out x.npy", "use safetensors"},
      {"table sinusoidal --out table.xls", "expected --out with an extension"},
      {"table sinusoidal --weights w.safetensors", "nothing is learned"},
      {"table sinusoidal --threads 0", "expected threads from 1"},
      {"table sinusoidal --threads 99999999999", "expected threads from 1"},
      {"table sinusoidal --threads many", "expected threads to be an integer"},
      {"table learned --rows 0", "expected rows of at least 1"},
      {"table learned --rows 9000000000000000000", "rows"},
      {"table learned --rows 100000000000", "of free memory"},
      {"table learned --positions 512", "expected positions from 0 to 511"},
      {"table learned --positions -1", "expected positions from 0 to 511"},
      {"table learned --positions 0.5", "whole positions"},
      {"table nerf --positions 0:4", "expected positions on 3 axes"},
      {"table nerf --coordinates 9", "coordinates"},
      {"apply sinusoidal", "expected --in FILE"},
      {"apply sinusoidal --in x.npy", "expected --out FILE"},
      {"apply sinusoidal --in x.npy --out y.txt", ".npy or .safetensors"},
      {"shift learned", "expected sinusoidal"},
      {"shift sinusoidal --preset per-column", "different speeds"},
      {"shift sinusoidal --preset raw-index", "different speeds"},
      {"shift sinusoidal --dim 5", "no cosine"},
      {"shift sinusoidal --positions 0.5", "whole positions"},
      {"shift sinusoidal --k 9223372036854775807 --positions 5", "fits 64 bits"},
      {"shift sinusoidal --k 9223372036854775807 --compose 1", "fits 64 bits"},
      {"show sinusoidal --kind heat", "kind"},
      {"show sinusoidal --out picture.gif", ".png or .svg"},
      {"graph path:3 --picture p.gif", "expected --picture with the extension .png or .svg"},
      {"show sinusoidal --size 3x20", "expected"},
      {"show sinusoidal --size 9999999x20", "got 9999999x20"},
      {"show sinusoidal --out p.png --size 100x-1", "expected"},
      {"show sinusoidal --kind waves --columns 512", "expected columns from 0 to 511"},
      {"show sinusoidal --kind similarity --positions 0:100000", "at most 2048 positions"},
      {"show learned --kind wavelengths", "no wavelengths"},
      {"accuracy learned", "computed scheme"},
      {"identify", "expected a FILE"},
      {"demo extra", "only options"},
      {"bench --seconds 0", "above 0"},
      {"list nothing", "unknown scheme"},
      {"table whispr", "did you mean 'whisper'?"},
  };
  for (const Bad& bad : cases) expect_refusal(bad.arguments, 2, bad.part);
}

TEST_F(Tool, RefusesPositions) {
  const std::pair<std::string, std::string_view> cases[] = {
      {"''", "got nothing"},
      {"4:4", "at least one position"},
      {"4:0", "at least one position"},
      {"0:4:-1", "at least one position"},
      {"0:4:0", "step other than 0"},
      {"0:1:0.0", "step other than 0"},
      {"0:4:1:1", "first:end:step"},
      {"1,,2", "got nothing"},
      {"1,", "got nothing"},
      {":", "got nothing"},
      {"nan", "finite"},
      {"inf", "finite"},
      {"1e400", "expected positions"},
      {"five", "expected positions to be a number"},
      {"0x10", "expected positions to be a number"},
      {"' 5'", "expected positions to be a number"},
      {"--5", "expected positions to be an integer"},
      {"9223372036854775808", "to fit an integer"},
      {"9223372036854775807", "within 2^62"},
      {"1e30", "within 2^62"},
      {"0:9223372036854775807", "of free memory"},
      {"-9223372036854775808:9223372036854775807:1", "fit 64 bits"},
      {"0:9223372036854775807,0:9223372036854775807", "fit 64 bits"},
      {"0:1000000000000:2", "of free memory"},
      {"0:1e18:0.5", "of free memory"},
      {"0:1e300:1e-300", "fit 64 bits"},
      {"'0;1'", "expected positions on 1 axis"},
  };
  for (const auto& [text, part] : cases)
    expect_refusal("table sinusoidal --json --positions " + text, 2, part);
  expect_refusal("table nerf --positions '0,1;0,1;0'", 2, "on every axis");
}

TEST_F(Tool, RefusesFilesWithCode1) {
  output("table sinusoidal --dim 8 --positions 0:4 --out x.npy");
  output("table sinusoidal --dim 8 --positions 0:4 --out x.safetensors");
  const std::string npy = read("x.npy"), safetensors = read("x.safetensors");
  write("short.npy", npy.substr(0, npy.size() - 1));
  write("header.npy", npy.substr(0, 40));
  write("short.safetensors", safetensors.substr(0, safetensors.size() - 1));
  write("header.safetensors", safetensors.substr(0, 12));
  write("huge.safetensors", std::string(7, '\xff') + '\x7f' + "{}");
  write("empty.npy", "");
  write("zip.npy", "PK\x03\x04 and more");
  write("text.npy", "not an array at all");
  write_arrays(path("line.npy"), {{"", numbered(DType::f32, {5})}});
  write_arrays(path("whole.npy"), {{"", numbered(DType::i64, {2, 8})}});
  write_arrays(path("none.npy"), {{"", numbered(DType::f32, {0, 8})}});
  Array nan = make_array(DType::f32, {2, 8});
  nan.values<float>()[9] = NAN;
  write_arrays(path("nan.npy"), {{"", nan}});
  write_arrays(path("two.safetensors"), {{"a", nan}, {"b", nan}});
  const Bad cases[] = {
      {"short.npy", "short.npy: expected 128 bytes of data"},
      {"header.npy", "bytes of header"},
      {"short.safetensors", "bytes of data"},
      {"header.safetensors", "header"},
      {"huge.safetensors", "header of at most"},
      {"empty.npy", "empty file"},
      {"zip.npy", "zip"},
      {"text.npy", "text.npy: expected"},
      {"missing.npy", "missing.npy: cannot read: No such file"},
      {".", "Is a directory"},
      {"line.npy", "[..., tokens, dim], got f32 [5]"},
      {"whole.npy", "got i64 [2, 8]"},
      {"none.npy", "at least one token"},
      {"nan.npy", "expected finite numbers, got nan"},
      {"two.safetensors", "expected --tensor NAME"},
      {"two.safetensors --tensor c", "the file holds \"a\", \"b\""},
      {"x.npy --tensor c", "expected no tensor name"},
      {"x.npy --dim 6", "[..., tokens, 6], got f32 [4, 8]"},
  };
  for (const Bad& bad : cases)
    expect_refusal("apply sinusoidal --out y.npy --in " + bad.arguments, 1, bad.part);
  for (const Bad& bad : std::span(cases).first(10))
    expect_refusal("identify " + bad.arguments, 1, bad.part);
}

TEST_F(Tool, RefusesPlacesToWrite) {
  output("table sinusoidal --dim 8 --positions 0:4 --out x.npy");
  expect_refusal("table sinusoidal --out missing/x.npy", 1, "cannot write missing/x.npy");
  expect_refusal("table sinusoidal --out missing/x.csv", 1, "cannot write missing/x.csv");
  expect_refusal("apply sinusoidal --in x.npy --out missing/x.npy", 1, "cannot write");
  expect_refusal("show sinusoidal --out missing/x.png", 1, "cannot write");
  std::filesystem::create_directory(path("folder.npy"));
  expect_refusal("table sinusoidal --out folder.npy", 1, "Is a directory");
  write("file", "");
  const Result demo = posenc("demo --out file/pictures");
  EXPECT_EQ(demo.code, 1);
  EXPECT_NE(demo.err.find("cannot make the folder file/pictures"), std::string::npos) << demo.err;
}

TEST_F(Tool, RefusesWeights) {
  output("table sinusoidal --dim 8 --positions 0:4 --out table.npy");
  Array nan = make_array(DType::f32, {3});
  nan.values<float>()[2] = INFINITY;
  write_arrays(path("t.safetensors"),
               {{"frequency", nan}, {"phases", make_array(DType::f32, {3})}});
  expect_refusal("table learned --weights table.npy", 1,
                 "expected weight 'table' as f32 [512, 768]");
  expect_refusal("table time2vec --weights t.safetensors --dim 3", 1,
                 "expected finite numbers, got inf");
  write_arrays(path("t.safetensors"), {{"frequency", make_array(DType::f32, {3})},
                                       {"phases", make_array(DType::f32, {3})}});
  expect_refusal("table time2vec --weights t.safetensors --dim 3", 1, "did you mean 'phases'?");
  expect_refusal("table learned --weights missing.npy", 1, "No such file");
}

TEST_F(Tool, ClosedOutputIsNoError) {
  for (const std::string arguments :
       {"table sinusoidal --positions 0:20000 --format csv",
        "table sinusoidal --positions 0:20000 --json",
        "table sinusoidal --positions 0:20000 --format npy --out -", "list --json", "demo"}) {
    const Result result = shell("posenc " + arguments + " | head -c 5; echo ${PIPESTATUS[0]}");
    EXPECT_EQ(result.out.substr(5), "0\n") << arguments;
    EXPECT_EQ(result.err, "") << arguments;
  }
}

TEST_F(Tool, FullOutputIsAnError) {
  const Result result = shell("posenc table sinusoidal >/dev/full");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("cannot write to the standard output"), std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace posenc::usage_test
