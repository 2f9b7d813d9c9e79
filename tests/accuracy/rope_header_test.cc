// rope_header_test.cc: posenc_rope.h, made from the library's sources, against the library.
#include "packaging/posenc_rope.h"

#include <gtest/gtest.h>

#include "posenc/rotary.h"
#include "tests/accuracy/rotary_cases.h"
#include "tests/rotary/refused_rules.h"
#include "tests/support/elements.h"

namespace posenc::rope_header_test {
namespace {

namespace header = posenc_rope;

// The same rule, by its members.
struct Same {
  header::Scaling operator()(const NoScaling&) const { return header::NoScaling{}; }
  header::Scaling operator()(const Linear& r) const { return header::Linear{r.factor}; }
  header::Scaling operator()(const DynamicLinear& r) const {
    return header::DynamicLinear{r.factor, r.pretrained_max_position_embeddings};
  }
  header::Scaling operator()(const Ntk& r) const { return header::Ntk{r.factor}; }
  header::Scaling operator()(const VllmNtk& r) const {
    return header::VllmNtk{r.factor, r.mixed_b};
  }
  header::Scaling operator()(const DynamicNtk& r) const {
    return header::DynamicNtk{r.factor, r.max_position_embeddings};
  }
  header::Scaling operator()(const Yarn& r) const {
    return header::Yarn{r.factor,
                        r.original_max_position_embeddings,
                        r.beta_fast,
                        r.beta_slow,
                        r.truncate,
                        r.attention_factor,
                        r.mscale,
                        r.mscale_all_dim,
                        r.extrapolation_factor,
                        r.log_coefficient};
  }
  header::Scaling operator()(const ByParts& r) const {
    return header::ByParts{
        r.factor, r.original_max_position_embeddings, r.beta_0, r.beta_1, r.gamma_0, r.gamma_1};
  }
  header::Scaling operator()(const LongRope& r) const {
    return header::LongRope{r.short_factor, r.long_factor,      r.original_max_position_embeddings,
                            r.factor,       r.attention_factor, r.short_mscale,
                            r.long_mscale};
  }
  header::Scaling operator()(const Llama3& r) const {
    return header::Llama3{r.factor, r.low_freq_factor, r.high_freq_factor,
                          r.original_max_position_embeddings};
  }
  header::Scaling operator()(const Proportional& r) const {
    return header::Proportional{r.partial_rotary_factor, r.factor};
  }
  header::Scaling operator()(const auto& r) const {
    ADD_FAILURE() << "expected a rule that is written here, got " << r.name;
    return {};
  }
};

header::Rope same(const Rope& rope) {
  std::optional<header::Layout> layout;
  if (rope.layout == Layout::half) layout = header::Layout::half;
  if (rope.layout == Layout::interleaved) layout = header::Layout::interleaved;
  return {rope.dim, layout, rope.base, std::visit(Same{}, rope.scaling),
          rope.numerics != Numerics::exact};
}

PlannedCoordinates at(double position) { return {.tokens = 1, .ids = {position}}; }

// [1, 2 * pairs] of the library: cosines, then sines.
template <class T>
std::vector<T> row(const RotaryPlan& plan, double position) {
  Array table = make_array(dtype_of<T>, {1, plan.table().dim()});
  fill(plan.table(), table.view(), at(position));
  const auto values = table.values<T>();
  return {values.begin(), values.end()};
}

template <class T>
std::vector<T> row(const header::Table& table, double position) {
  std::vector<T> out(static_cast<size_t>(2 * table.pairs()));
  table.fill(position, out.data(), out.data() + table.pairs());
  return out;
}

template <class T>
void expect_same_heads(const RotaryPlan& plan, const header::Table& table, double position) {
  Random random(5);
  std::vector<T> one, cosine(static_cast<size_t>(table.pairs())), sine = cosine;
  for (int64_t i = 0; i < 2 * table.pairs(); ++i) one.push_back(static_cast<T>(random.real()));
  std::vector<T> other = one;
  rotate(plan, {tensor(one.data(), {1, 1, 1, 2 * table.pairs()})}, at(position));
  table.fill(position, cosine.data(), sine.data());
  table.rotate(other.data(), cosine.data(), sine.data());
  if constexpr (std::is_same_v<T, double>) {
    EXPECT_EQ(one, other);
  } else {  // rows within 3.1e-8 of the truth on both sides, two products and a sum
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_NEAR(one[i], other[i], plan.cos_sin_factor() * (4 * 3.1e-8 + 3 * 0x1p-24)) << i;
  }
}

TEST(RopeHeader, IsTheLibrary) {
  for (const Numerics numerics : {Numerics::exact, Numerics::f32_frequencies})
    for (Case c : rotary_rules(numerics, {6, 96}))
      for (const Layout layout : {Layout::half, Layout::interleaved}) {
        SCOPED_TRACE(c.name);
        Rope& rope = std::get<Rope>(c.scheme);
        rope.layout = layout;
        const RotaryPlan plan = prepare(rope, {.length = c.length});
        const header::Table table(same(rope), c.length);
        EXPECT_EQ(header::cos_sin_factor(same(rope).scaling, c.length), plan.cos_sin_factor());
        EXPECT_EQ(header::softmax_factor(same(rope).scaling), plan.softmax_factor());
        for (const double position : {0.0, 1.0, -7.0, 2.5, 4097.0, 0x1p31 - 1}) {
          EXPECT_EQ(row<double>(table, position), row<double>(plan, position)) << position;
          const auto f32 = row<float>(table, position);
          const auto f64 = row<double>(plan, position);
          for (size_t i = 0; i < f32.size(); ++i)
            EXPECT_NEAR(f32[i], f64[i], row_error(DType::f32, f64[i], plan.cos_sin_factor()));
          expect_same_heads<double>(plan, table, position);
          expect_same_heads<float>(plan, table, position);
        }
      }
}

// What the header says to what it refuses.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

// A rule that makes no sense gets the library's sentence, wherever it is given.
TEST(RopeHeader, RulesThatTheLibraryRefuses) {
  std::vector<Refused> cases = refused_rules();
  for (const Refused& c : refused_factors()) cases.push_back(c);
  for (const Refused& c : cases) {
    EXPECT_EQ(refusal([&] { header::Table(same(c.rope), 9999); }), c.text);
    EXPECT_EQ(refusal([&] { header::frequencies(same(c.rope), 9999); }), c.text);
    if (c.text.find("factors, one for each pair") != c.text.npos) continue;  // a rule has no dim
    if (c.text.find("[frequency]") != c.text.npos) continue;
    const header::Scaling rule = same(c.rope).scaling;
    EXPECT_EQ(refusal([&] { header::cos_sin_factor(rule, 9999); }), c.text);
    EXPECT_EQ(refusal([&] { header::softmax_factor(rule); }), c.text);
  }
}

// Sizes, bases and lengths: the header names its own options.
TEST(RopeHeader, OptionsThatTheLibraryRefuses) {
  struct Case {
    Rope rope;
    int64_t length;
    const char* text;
  };
  const auto with = [](Scaling rule, double base = 10000) {
    return Rope{.dim = 8, .layout = half, .base = base, .scaling = std::move(rule)};
  };
  const LongRope longrope{{1, 1, 1, 1}, {2, 2, 2, 2}};
  const char* size = "[rope] expected dim, the features that rotate, even and from 2 to 512, got ";
  const char* length = "[rope] expected the length of the text, which scaling ";
  const char* above_1 = "[rope] expected base above 1 for scaling ";
  for (const auto& [rope, tokens, text] : std::vector<Case>{
           {{.dim = 7, .layout = half}, 9, size},
           {{.dim = 0, .layout = half}, 9, size},
           {{.dim = -2, .layout = half}, 9, size},
           {{.dim = 514, .layout = half}, 9, size},
           {{.dim = 8}, 9, "[rope] expected layout half or interleaved, got none"},
           {with({}, 0), 9, "[rope] expected base to be above 0 and finite, got 0"},
           {with({}, -10000), 9, "[rope] expected base to be above 0 and finite, got -10000"},
           {with({}, nan), 9, "[rope] expected base to be above 0 and finite, got nan"},
           {with({}, infinity), 9, "[rope] expected base to be above 0 and finite, got inf"},
           {with({}, 1e31), 9, "[rope] expected base of at most 1e30, got 1e+31"},
           {with(Ntk{2}, 1), 9, above_1},
           {with(Yarn{.factor = 2}, 0.5), 9, above_1},
           {with(longrope, 1), 9, above_1},
           {with(DynamicNtk{4}), 0, length},
           {with(DynamicLinear{4}), 0, length},
           {with(longrope), 0, length},
           {with({}), -1, "[rope] expected a length of the text of at least 0, got -1"},
       }) {
    SCOPED_TRACE(text);
    EXPECT_NE(message([&, &r = rope, n = tokens] { prepare(r, {.length = n}); }), "no error");
    const std::string said = refusal([&, &r = rope, n = tokens] { header::Table(same(r), n); });
    EXPECT_EQ(said.substr(0, std::string_view(text).size()), text);
  }
}

TEST(RopeHeader, PositionsThatTheLibraryRefuses) {
  const Rope plain{.dim = 2, .layout = half},
      dynamic{.dim = 2, .layout = half, .scaling = DynamicNtk{2, 64}};
  float c = 7, s = 7;
  for (const auto& [rope, position] : std::vector<std::pair<Rope, double>>{
           {plain, nan}, {plain, infinity}, {plain, 0x1.1p62}, {plain, -0x1.1p62}, {dynamic, 65}}) {
    const header::Table table(same(rope), 65);
    const RotaryPlan plan = prepare(rope, {.length = 65});
    EXPECT_NE(refusal([&, p = position] { table.fill(p, &c, &s); }), "no error") << position;
    EXPECT_NE(message([&, p = position] { row<float>(plan, p); }), "no error") << position;
  }
  const header::Table table(same(plain)), longer(same(dynamic), 65);
  const char* within = "[rope] expected positions within 2^62, got ";
  for (const int64_t far : {INT64_MAX, INT64_MIN, (int64_t{1} << 62) + 1})
    EXPECT_EQ(refusal([&] { table.fill(far, &c, &s); }), within + std::to_string(far));
  EXPECT_EQ(refusal([&] { table.fill(UINT64_MAX - 4, &c, &s); }),
            within + std::to_string(UINT64_MAX - 4));
  EXPECT_EQ(refusal([&] { longer.fill(65, &c, &s); }),
            "[rope] expected positions below 65 of this table, whose frequencies depend on the "
            "length of the text, got 65");
  EXPECT_EQ(c + s, 14);  // nothing was written
  longer.fill(64, &c, &s), table.fill(int64_t{1} << 62, &c, &s), table.fill(-0x1p62, &c, &s);
}

}  // namespace
}  // namespace posenc::rope_header_test
