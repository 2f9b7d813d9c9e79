// batch_test.cc: positions from files: every sequence of a batch, queries and keys of biases.
#include "posenc/posenc.h"
#include "tests/cli/tool.h"
#include "tests/support/random.h"

namespace posenc::batch_test {
namespace {

Array random_array(std::vector<int64_t> shape, uint64_t seed) {
  Random random(seed);
  Array out = make_array(DType::f64, std::move(shape));
  for (double& x : out.values<double>()) x = random.real();
  return out;
}

void expect_equal(const Array& a, const Array& b) {
  ASSERT_EQ(describe(a.view()), describe(b.view()));
  EXPECT_EQ(a.bytes, b.bytes);
}

TEST_F(Tool, PositionsFeedBack) {
  output("positions offsets --starts 3,100 --tokens 5 --out p.npy");
  const Array ids = read_array(path("p.npy"));
  ASSERT_EQ(describe(ids.view()), "i64 [1, 2, 5]");
  Array x = random_array({2, 5, 8}, 1), table = make_array(DType::f64, {2, 5, 8});
  write_arrays(path("x.npy"), {{"", x}});
  output("apply sinusoidal --in x.npy --positions p.npy --out y.npy");
  add(Sinusoidal{.dim = 8}, x.view(), positions(ids.view()));
  expect_equal(read_array(path("y.npy")), x);
  output("table sinusoidal --dim 8 --positions p.npy --dtype f64 --out t.npy");
  fill(Sinusoidal{.dim = 8}, table.view(), positions(ids.view()));
  expect_equal(read_array(path("t.npy")), table);
  EXPECT_EQ(json("table sinusoidal --dim 8 --positions p.npy --json")["positions"],
            Json({3, 4, 5, 6, 7, 100, 101, 102, 103, 104}));
  EXPECT_NE(output("show sinusoidal --dim 8 --positions p.npy"), "");
}

TEST_F(Tool, RotaryTakesTheAxesOfABatch) {
  output("positions segments --segments text:2,image:2x2,text:1 --out p.safetensors");
  Array one = read_array(path("p.safetensors"));
  ASSERT_EQ(describe(one.view()), "i64 [3, 1, 7]");
  // Another row beside it, and as i32 and f64.
  Array wide = make_array(DType::i64, {3, 2, 7}), narrow = make_array(DType::i32, {3, 2, 7}),
        real = make_array(DType::f64, {3, 2, 7});
  for (size_t i = 0; i < 42; ++i) {
    const int64_t p = one.values<int64_t>()[i / 14 * 7 + i % 7];
    wide.values<int64_t>()[i] = p + static_cast<int64_t>(i % 14 / 7 * 11);
    narrow.values<int32_t>()[i] = static_cast<int32_t>(wide.values<int64_t>()[i]);
    real.values<double>()[i] = static_cast<double>(wide.values<int64_t>()[i]) + 0.25;
  }
  const Rope rope{.dim = 8, .layout = Layout::half, .axes = Chunked{{2, 1, 1}}};
  for (const Array* ids : std::initializer_list<const Array*>{&one, &wide, &narrow, &real}) {
    write_arrays(path("p.npy"), {{"", *ids}});
    Array x = random_array({2, 7, 3, 8}, 2);
    write_arrays(path("x.npy"), {{"", x}});
    output(
        "apply rope --layout half --dim 8 --axes chunked --axes.sections 2,1,1 --in x.npy "
        "--shape bthd --positions p.npy --out y.npy");
    rotate(prepare(rope), {x.view(), {}}, positions(ids->view()));
    expect_equal(read_array(path("y.npy")), x);
  }
}

TEST_F(Tool, BiasesTakeQueriesAndKeys) {
  Array scores = random_array({2, 3, 1, 40}, 3);  // a step of decoding
  write_arrays(path("s.npy"), {{"", scores}});
  output("apply alibi --in s.npy --queries 39 --keys 0:40 --causal --out y.npy");
  add(prepare(Alibi{.heads = 3}), scores.view(), scores.view(),
      {.queries = range(39), .causal = true});
  expect_equal(read_array(path("y.npy")), scores);
  // Each sequence of the batch with queries and keys of its own, real numbers too.
  output("positions offsets --starts 39,12 --tokens 1 --out q.npy");
  Array keys = random_array({2, 40}, 4);
  write_arrays(path("k.npy"), {{"", keys}});
  const Json done = json("apply alibi --in s.npy --queries q.npy --keys k.npy --out y.npy --json");
  EXPECT_EQ(done["queries"], "q.npy");
  Array expected = read_array(path("s.npy"));
  const Array queries = read_array(path("q.npy"));
  add(prepare(Alibi{.heads = 3}), expected.view(), expected.view(),
      {.queries = positions(queries.view()), .keys = positions(keys.view())});
  expect_equal(read_array(path("y.npy")), expected);
}

TEST_F(Tool, RealDistancesAreTheLibrarysAffair) {
  EXPECT_EQ(json("table alibi --heads 1 --positions 0.5,-128.5 --dtype f64 --json")["rows"],
            Json({{-0.5 / 256}, {-128.5 / 256}}));
  EXPECT_EQ(json("table alibi --heads 1 --queries 0.5 --keys 0,1 --json")["rows"][0],
            Json({-0.5 / 256, -0.5 / 256}));
  expect_refusal("table t5 --positions 0.5", 2, "expected whole positions (i32 or i64)");
}

TEST_F(Tool, RefusesPositionsOfFiles) {
  write_arrays(path("x.npy"), {{"", random_array({2, 5, 8}, 5)}});
  write_arrays(path("s.npy"), {{"", random_array({3, 5, 5}, 6)}});
  write_arrays(path("f32.npy"), {{"", numbered(DType::f32, {5})}});
  write_arrays(path("four.npy"), {{"", numbered(DType::i64, {1, 1, 1, 5})}});
  write_arrays(path("axes.npy"), {{"", numbered(DType::i64, {3, 1, 5})}});
  write_arrays(path("none.npy"), {{"", numbered(DType::i64, {1, 1, 0})}});
  write_arrays(path("rows.npy"), {{"", numbered(DType::i64, {3, 5})}});
  write_arrays(path("long.npy"), {{"", numbered(DType::i64, {6})}});
  const std::string start = "apply sinusoidal --in x.npy --out y.npy --positions ";
  expect_refusal(start + "f32.npy", 1, "f32 counts exactly only to 2^24");
  expect_refusal(start + "four.npy", 1, "[axes, rows, tokens], got i64 [1, 1, 1, 5]");
  expect_refusal(start + "axes.npy", 1, "axes.npy: expected positions on 1 axis");
  expect_refusal(start + "none.npy", 1, "none.npy: expected positions");
  expect_refusal(start + "missing.npy", 1, "missing.npy: cannot read");
  expect_refusal(start + "rows.npy", 2, "[1, 1 or 2, 5]");
  expect_refusal(start + "long.npy", 2, "expected --positions for the 5 tokens of x.npy, got 6");
  const std::string bias = "apply alibi --in s.npy --out y.npy ";
  expect_refusal(bias + "--positions 0:5", 2, "expected --queries and --keys");
  expect_refusal(bias + "--queries 0:6", 2, "expected --queries for the 5 queries of s.npy, got 6");
  expect_refusal(bias + "--keys 7", 2, "expected --keys for the 5 keys of s.npy, got 1");
  expect_refusal(bias + "--queries 0:5 --first_query 3", 2, "got both");
  expect_refusal(bias + "--scale_on sum", 2, "expected --softmax_scale with --scale_on");
}

}  // namespace
}  // namespace posenc::batch_test
