// kinds_test.cc: rotary numbers and biases, made by posenc and by plain loops, get their names.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <limits>

#include "posenc/positions/grid.h"
#include "tests/inspect/tables.h"

namespace posenc::kinds_test {
namespace {

using posenc::identified;
constexpr auto npos = std::string::npos;

std::string option(const Match& m, std::string_view name, const Condition& only_with = {}) {
  for (const Option& o : m.found->options)
    if (o.name == name && (only_with == Condition{} || o.only_with == only_with))
      return text::write(o.value);
  return "?";
}

Match identified(const Rope& rope, int64_t rows, DType dtype = DType::f32, int64_t length = 0) {
  const RotaryPlan plan = prepare(rope, {.length = length});
  Array table = make_array(dtype, {rows, 2 * rope.pairs()});
  fill(plan.table(), table.view());
  return identify(table.view());
}

// Presets of one axis whose frequencies are not learned; the slowest pair must be seen to turn.
TEST(Kinds, RotaryPresets) {
  for (const auto& preset : Rope::presets()) {
    const Rope& rope = preset.value;
    if (rope.axis_count() > 1 || rope.pairs() < 2) continue;
    for (const DType dtype : {DType::f32, DType::f64}) {
      SCOPED_TRACE(testing::Message() << preset.name << " " << to_string(dtype));
      const Match m = identified(rope, 2048, dtype);
      EXPECT_EQ(m.match, "rope") << m.sentence;
      EXPECT_EQ(m.mistake, "");
      EXPECT_TRUE(m.within_rounding);
      EXPECT_EQ(option(m, "base"), text::write(rope.base)) << m.sentence;
      EXPECT_EQ(option(m, "scaling"), alternative_name(rope.scaling)) << m.sentence;
      EXPECT_EQ(option(m, "sign"), enum_name(rope.sign));
    }
  }
}

Match identified(const GridSinusoidal& scheme, const Grid& size, DType dtype) {
  const PlannedPositions at = grid(size);
  Array table = make_array(dtype, {at.tokens, scheme.dim});
  fill(prepare(scheme), table.view(), at);
  return identify(table.view());
}

TEST(Kinds, RowsOfPatches) {
  for (const auto& preset : GridSinusoidal::presets())
    for (const DType dtype : float_types)
      for (const bool class_token : {false, true}) {
        GridSinusoidal scheme = preset.value;
        scheme.dim = 60, scheme.padding = -1;
        const bool video = scheme.coordinates == 3;
        const Grid size{.frames = video ? 3 : 1,
                        .height = video ? 4 : 5,
                        .width = 4,
                        .time = video,
                        .before = class_token ? 1 : 0,
                        .extra_at = -1};
        const Match m = identified(scheme, size, dtype);
        SCOPED_TRACE(testing::Message() << preset.name << " " << to_string(dtype) << m.sentence);
        ASSERT_EQ(m.match, preset.name);
        EXPECT_EQ(m.kind, "grid-sinusoidal");
        EXPECT_TRUE(m.within_rounding);
        EXPECT_NE(m.sentence.find(video ? "a video of 3x4x4," : "an image of 5x4,"), npos);
        EXPECT_EQ(m.sentence.find("a row of zeros") != npos, class_token);
        EXPECT_EQ(m.command.find("--before 1") != npos, class_token);
        EXPECT_EQ(option(m, "dim"), "60");
      }
}

// As MAE's own loops make it: x first, with numpy's f64; another temperature; DETR's coordinates.
TEST(Kinds, RowsOfPatchesByLoops) {
  const auto at = [](double p, bool down) { return down ? std::floor(p / 7) : std::fmod(p, 7); };
  const auto mae = [&](double base) {
    return [=](double p, int64_t c, int64_t d) {
      const double k = static_cast<double>(c % (d / 4)) / static_cast<double>(d / 4);
      return wave(c % (d / 2) / (d / 4), at(p, c >= d / 2) * power(k, base));
    };
  };
  EXPECT_EQ(identified(63, 48, mae(10000)).match, "mae");
  const Match other = identified(63, 48, mae(20));
  EXPECT_EQ(option(other, "base"), "20");
  EXPECT_NE(other.sentence.find("but with base 20"), npos) << other.sentence;
  EXPECT_EQ(identified(63, 48, mae(123)).match, "");
  const Match detr = identified(63, 32, [&](double p, int64_t c, int64_t d) {
    const bool down = c < d / 2;
    const double turn = (at(p, down) + 1) / ((down ? 9 : 7) + 1e-6) * 2 * std::acos(-1.0);
    return wave(c, turn * power(static_cast<double>(c % 16 / 2) / 8));
  });
  EXPECT_EQ(detr.match, "detr") << detr.sentence;
  EXPECT_NE(detr.command.find("--size 9x7 --place detr"), npos) << detr.command;
}

TEST(Kinds, LengthRules) {
  const auto with = [](Scaling scaling, double base = 10000) {
    return Rope{.dim = 64, .layout = Layout::half, .base = base, .scaling = std::move(scaling)};
  };
  for (const int64_t rows : {300, 2048})
    for (const Rope& rope :
         {with(Linear{4}), with(Linear{2.5}, 500000), with(Ntk{4}), with(Ntk{8}, 500000),
          with(VllmNtk{4}), with(Yarn{.factor = 4, .original_max_position_embeddings = 32768}, 1e6),
          with(Yarn{.factor = 40, .attention_factor = 1.0}), with(Llama3{.factor = 32}, 500000),
          with(ByParts{.factor = 4}), with(Proportional{0.25, 8}, 1e6)}) {
      const Match m = identified(rope, rows);
      SCOPED_TRACE(testing::Message() << alternative_name(rope.scaling) << rows << m.sentence);
      ASSERT_EQ(m.match, "rope");
      EXPECT_EQ(option(m, "scaling"), alternative_name(rope.scaling));
      EXPECT_EQ(option(m, "base"), text::write(rope.base));
      const Condition taken{"scaling", std::string(alternative_name(rope.scaling))};
      for (const Option& o : info(rope).options)
        if (o.name == "scaling.factor" && o.only_with == taken) {
          EXPECT_EQ(option(m, o.name, taken), text::write(o.value));
        }
    }
  const Match dynamic = identified(with(DynamicNtk{2, 2048}), 300, DType::f32, 8192);
  EXPECT_EQ(option(dynamic, "scaling"), "ntk");  // factor 2 * 8192 / 2048 - 1
  EXPECT_EQ(option(dynamic, "scaling.factor", {"scaling", "ntk"}), "7");
  EXPECT_NE(join(dynamic.also, "").find("dynamic"), std::string::npos);
}

TEST(Kinds, DivisorsOfNoRule) {
  Random random(5);
  LongRope rule;
  for (int i = 0; i < 32; ++i) rule.short_factor.push_back(random.real(1, 4));
  rule.long_factor = rule.short_factor, rule.factor = 16;
  const Match m =
      identified({.dim = 64, .layout = Layout::half, .scaling = rule}, 500, DType::f32, 4096);
  EXPECT_EQ(m.match, "rope");
  EXPECT_EQ(option(m, "frequencies"), "list");
  EXPECT_NE(m.sentence.find("no rule"), std::string::npos);
}

// Caches as model code makes them: frequencies and angles in f32, then cosine or sine.
struct Cache {
  const char *holds, *layout;
  std::function<double(int64_t c, int64_t pairs, const std::function<float(int64_t)>& angle)> value;
};
double turn(bool sine, float angle) { return sine ? std::sin(angle) : std::cos(angle); }
const Cache caches[] = {
    {"cos", "half", [](auto c, auto n, auto& a) { return turn(false, a(c % n)); }},
    {"sin", "half", [](auto c, auto n, auto& a) { return turn(true, a(c % n)); }},
    {"cos", "interleaved", [](auto c, auto, auto& a) { return turn(false, a(c / 2)); }},
    {"sin", "interleaved", [](auto c, auto, auto& a) { return turn(true, a(c / 2)); }},
    {"cos|sin", "plain", [](auto c, auto n, auto& a) { return turn(c >= n, a(c % n)); }},
    {"cos,sin", "pairs", [](auto c, auto, auto& a) { return turn(c % 2 == 1, a(c / 2)); }},
};

Match identified(const Cache& cache, int64_t rows, int64_t pairs, double base, int64_t first,
                 DType dtype) {
  return identified(
      rows, 2 * pairs,
      [&](double p, int64_t c, int64_t d) {
        const auto angle = [&](int64_t k) {
          const float x = 2 * static_cast<float>(k) / static_cast<float>(d);
          const float w = 1 / std::pow(static_cast<float>(base), x);
          return (static_cast<float>(p) + static_cast<float>(first)) * w;
        };
        return cache.value(c, pairs, angle);
      },
      dtype);
}

TEST(Kinds, CachesOfModels) {
  for (const Cache& cache : caches)
    for (const double base : {10000.0, 500000.0, 10100.0})
      for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
        if (dtype != DType::f32 && base == 10100.0) continue;  // 1 % is less than they hold
        const Match m = identified(cache, 2048, 32, base, 0, dtype);
        SCOPED_TRACE(testing::Message() << cache.holds << " " << cache.layout << " " << base << " "
                                        << to_string(dtype) << m.sentence);
        ASSERT_EQ(m.match, "rope");
        EXPECT_EQ(m.mistake, "");
        EXPECT_EQ(m.holds, cache.holds);
        EXPECT_EQ(m.layout, cache.layout);
        EXPECT_EQ(option(m, "base"), text::write(base));
        EXPECT_EQ(option(m, "scaling"), "none");
      }
}

TEST(Kinds, StackedTables) {
  const Rope rope{.dim = 48, .layout = Layout::half, .base = 1e6};
  Array table = make_array(DType::f32, {200, 48}), stacked = make_array(DType::f32, {2, 200, 24});
  fill(prepare(rope).table(), table.view());
  for (int64_t i = 0; i < 200 * 48; ++i)
    set(stacked.view(), (i % 48 / 24 * 200 + i / 48) * 24 + i % 24, get(table.view(), i));
  const Match m = identify(stacked.view());
  EXPECT_EQ(m.match, "rope") << m.sentence;
  EXPECT_EQ(m.holds, "cos|sin");
  EXPECT_EQ(option(m, "base"), text::write(1e6));
}

TEST(Kinds, OffsetsAreSeen) {
  for (const int64_t first : {1, 5, 20}) {
    const Match m = identified(caches[4], 300, 32, 10000, first, DType::f32);
    EXPECT_EQ(m.match, "rope");
    EXPECT_EQ(m.mistake, "position-offset");
    EXPECT_EQ(option(m, "offset"), std::to_string(first)) << m.sentence;
  }
}

TEST(Kinds, Vectors) {
  std::vector<float> inverse, slopes;
  for (int k = 0; k < 64; ++k) inverse.push_back(std::pow(500000.f, -static_cast<float>(k) / 64));
  const Match m = identify(tensor(inverse.data(), {64}));
  EXPECT_EQ(m.match, "inv_freq");
  EXPECT_EQ(option(m, "base"), text::write(500000.0));
  for (int h = 0; h < 12; ++h) slopes.push_back(static_cast<float>(Alibi{.heads = 12}.slope(h)));
  for (const auto& shape : std::vector<std::vector<int64_t>>{{12}, {12, 1, 1}, {1, 12, 1, 1}})
    EXPECT_EQ(identify(tensor(slopes.data(), shape)).match, "alibi");
  Random random(1);
  for (float& x : inverse) x = static_cast<float>(random.real(0, 1));
  EXPECT_EQ(identify(tensor(inverse.data(), {64})).match, "");
}

// ------------------------------------------------------------------ biases

using Score = std::function<double(int64_t head, int64_t query, int64_t key)>;

Match identified(int64_t heads, int64_t queries, int64_t keys, const Score& f) {
  Array table = make_array(DType::f32, {heads, queries, keys});
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t q = 0; q < queries; ++q)
      for (int64_t k = 0; k < keys; ++k)
        set(table.view(), (h * queries + q) * keys + k, f(h, q, k));
  return identify(table.view());
}
double slope(int64_t head) { return std::exp2(-static_cast<double>(head + 1)); }
double far(int64_t q, int64_t k) { return static_cast<double>(std::abs(q - k)); }

TEST(Kinds, Alibi) {
  const auto symmetric = [](int64_t h, int64_t q, int64_t k) { return -slope(h) * far(q, k); };
  EXPECT_EQ(identified(8, 30, 30, symmetric).match, "alibi");
  for (const double hidden : {-std::numeric_limits<double>::infinity(), -3.4e38}) {
    const Match m = identified(8, 30, 30, [&](int64_t h, int64_t q, int64_t k) {
      return k > q ? hidden : symmetric(h, q, k);
    });
    EXPECT_EQ(m.match, "alibi");
    EXPECT_NE(m.sentence.find("keys after the query are masked"), std::string::npos) << m.sentence;
  }
  const auto keys = [](int64_t h, int64_t, int64_t k) { return slope(h) * static_cast<double>(k); };
  EXPECT_EQ(option(identified(8, 1, 30, keys), "heads"), "8");
  EXPECT_EQ(identified(8, 30, 30, keys).match, "alibi");
  const Match steep = identified(  // slopes of its own
      8, 30, 30, [&](int64_t h, int64_t q, int64_t k) { return 1.01 * symmetric(h, q, k); });
  EXPECT_NE(steep.sentence.find("other than ALiBi's"), std::string::npos) << steep.sentence;
}

TEST(Kinds, BucketsWindowsAndDistances) {
  Random random(2);
  std::vector<double> table(4096);
  for (double& x : table) x = random.real(-1, 1);
  const auto drawn = [&](int64_t h, int64_t i) { return table[static_cast<size_t>(h * 512 + i)]; };
  for (const T5Bias& t5 : {T5Bias{}, T5Bias{.bidirectional = false}}) {
    const Match m = identified(
        4, 150, 150, [&](int64_t h, int64_t q, int64_t k) { return drawn(h, t5.bucket(k - q)); });
    EXPECT_EQ(m.match, "t5") << m.sentence;
    EXPECT_EQ(option(m, "buckets"), "32");
    EXPECT_EQ(option(m, "max_distance"), "128");
    EXPECT_EQ(option(m, "bidirectional"), text::write(t5.bidirectional));
  }
  const auto line = [&](int64_t h, int64_t q, int64_t k) { return drawn(h, k - q + 40); };
  EXPECT_EQ(identified(3, 36, 36, line).match, "toeplitz");
  const auto window = [&](int64_t h, int64_t q, int64_t k) {
    return drawn(h, (q / 7 - k / 7 + 6) * 13 + q % 7 - k % 7 + 6);
  };
  const Match m = identified(3, 49, 49, window);
  EXPECT_EQ(m.match, "window");
  EXPECT_NE(m.sentence.find("7 x 7"), std::string::npos) << m.sentence;
  const auto noise = [&](int64_t, int64_t, int64_t) { return random.real(-1, 1); };
  EXPECT_EQ(identified(3, 49, 49, noise).match, "");
}

TEST(Kinds, NoIsSaidSoon) {
  Random random(9);
  const auto start = std::clock();
  for (const auto& [rows, dim] : {std::pair{512, 64}, {64, 64}, {3000, 512}, {2, 8}, {3, 64}}) {
    const Match m = identified(rows, dim, [&](double p, int64_t, int64_t) {
      return p == 0 ? 1 : random.real(-1, 1);  // the first row of a cache of cosines
    });
    EXPECT_EQ(m.match, "") << rows << " " << m.sentence;
  }
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5 * 4);
}

}  // namespace
}  // namespace posenc::kinds_test
