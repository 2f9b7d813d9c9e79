// rope_header_test.cc: posenc_rope.h, made from the library's sources, against the library.
#include "packaging/posenc_rope.h"

#include <gtest/gtest.h>

#include "posenc/rotary.h"
#include "tests/accuracy/rotary_cases.h"
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
  return {rope.dim, rope.base,
          rope.layout == Layout::half ? header::Layout::half : header::Layout::interleaved,
          std::visit(Same{}, rope.scaling), rope.numerics != Numerics::exact};
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

}  // namespace
}  // namespace posenc::rope_header_test
