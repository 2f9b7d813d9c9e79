// What transformers, timm and x-transformers do to queries and keys (golden/rotary.py).
#include <gtest/gtest.h>

#include "tests/rotary/golden.h"
#include "tests/support/elements.h"

namespace posenc::golden_test {
namespace {

using golden::Case, golden::cases;

constexpr double unit = 0x1p-24;  // the unit roundoff of f32

// The features of pair k within those that turn, before and after; the layouts said once more.
struct Features {
  int64_t in_a, in_b, out_a, out_b;
};
Features features(const Rope& rope, int64_t k) {
  const int64_t n = rope.pairs() / rope.blocks, half = k / n * 2 * n + k % n;
  switch (*rope.layout) {
    case Layout::half:
      return {half, half + n, half, half + n};
    case Layout::interleaved:
      return {2 * k, 2 * k + 1, 2 * k, 2 * k + 1};
    case Layout::interleaved_in_half_out:
      return {2 * k, 2 * k + 1, k, k + n};
  }
  return {};
}

// How far the peer's angle and ours may be apart: exactly as far as the f32 products of the
// position with its frequency and with ours, and the roundings it makes besides.
class Angles {
 public:
  Angles(const Case& c, const RotaryPlan& plan) : case_(c), plan_(plan) {}

  double difference(int64_t token, int64_t head, int64_t k) const {
    if (case_.has("weight")) return case_.angle_roundings * unit * learned_size(token, head, k);
    const auto i = static_cast<size_t>(k);
    const auto p = static_cast<float>(position(plan_.pairs()[i].axis, token));
    const float theirs = p * static_cast<float>(get(case_.array("frequencies").view(), k));
    const float ours = p * static_cast<float>(radians(plan_.frequencies()[i]));
    const double apart = std::abs(static_cast<double>(theirs) - static_cast<double>(ours));
    return apart + case_.angle_roundings * unit * std::abs(theirs);
  }

 private:
  double position(int64_t axis, int64_t token) const {
    const Tensor at = case_.array("positions").view();
    return get(at, axis * at.size(2) + token) + static_cast<double>(plan_.scheme().offset);
  }
  double learned_size(int64_t token, int64_t head, int64_t k) const {
    const Tensor w = case_.array("weight").view();
    const int64_t row = w.size(0) == 1 ? 0 : head;
    double sum = 0;
    for (int64_t a = 0; a < w.size(2); ++a)
      sum += std::abs(position(a, token) * get(w, (row * w.size(1) + k) * w.size(2) + a));
    return sum;
  }

  const Case& case_;
  const RotaryPlan& plan_;
};

// One head of one token: before, after by the peer, after by us.
struct Row {
  std::vector<double> x, theirs, ours;
};
Row row(const Tensor& x, const Tensor& theirs, const Tensor& ours, int64_t index) {
  Row out;
  for (int64_t f = 0; f < x.size(-1); ++f) {
    out.x.push_back(get(x, index * x.size(-1) + f));
    out.theirs.push_back(get(theirs, index * x.size(-1) + f));
    out.ours.push_back(get(ours, index * x.size(-1) + f));
  }
  return out;
}

// Theirs: cosine and sine within an ulp (1 unit, as they are at most 1), product, sum: 3 units of
// m (|a| + |b|), m being the magnitude. Ours: the table 0.6, product, sum. Together 5.6, and 6 with
// the products of errors.
constexpr double roundings = 6;

void expect_turned(const Case& c, const RotaryPlan& plan, const Row& r, int64_t token,
                   int64_t head) {
  const Rope& rope = plan.scheme();
  for (int64_t k = 0; k < rope.pairs(); ++k) {
    const Features f = features(rope, k);
    const auto at = [&](const std::vector<double>& v, int64_t feature) {
      return v[static_cast<size_t>(rope.first_feature() + feature)];
    };
    const double a = at(r.x, f.in_a), b = at(r.x, f.in_b);
    const double m = std::hypot(at(r.theirs, f.out_a), at(r.theirs, f.out_b)) / std::hypot(a, b);
    const double angle = Angles(c, plan).difference(token, head, k);
    const double most =
        m * (std::abs(a) + std::abs(b)) * (angle + (roundings + c.factor_roundings) * unit);
    EXPECT_NEAR(at(r.ours, f.out_a), at(r.theirs, f.out_a), most) << "pair " << k;
    EXPECT_NEAR(at(r.ours, f.out_b), at(r.theirs, f.out_b), most) << "pair " << k;
  }
}

// What does not turn is the peer's to the bit, but for a temperature.
void expect_passed(const Case& c, const Rope& rope, const Row& r, int64_t turning) {
  const bool tempered = !std::holds_alternative<NoTemperature>(rope.temperature);
  const int64_t first = rope.first_feature(), last = first + turning;
  for (size_t f = 0; f < r.x.size(); ++f) {
    if (std::cmp_greater_equal(f, first) && std::cmp_less(f, last)) continue;
    const double most = tempered ? c.factor_roundings * unit * std::abs(r.theirs[f]) : 0;
    EXPECT_NEAR(r.ours[f], r.theirs[f], most) << "feature " << f;
  }
}

bool head_turns(const Rope& rope, int64_t head, int64_t heads) {
  const int64_t first = rope.first_head < 0 ? heads + rope.first_head : rope.first_head;
  return head >= first && head < first + rope.rotary_heads.value_or(heads);
}

void expect_same(const Case& c, const RotaryPlan& plan, const std::string& which) {
  SCOPED_TRACE(which);
  const Tensor x = golden::input(c, which, plan.scheme().dim), theirs = c.array(which).view();
  const Array ours = make_array(DType::f32, c.array(which).shape);
  const Positions at = positions(c.array("positions").view());
  QueriesKeys in, out;
  (which == "q" ? in.q : in.k) = x, (which == "q" ? out.q : out.k) = ours.view();
  rotate(plan, in, out, at);
  for (int64_t i = 0; i < x.size(0) * x.size(1); ++i) {
    const int64_t token = i / x.size(1), head = i % x.size(1);
    SCOPED_TRACE(testing::Message() << "token " << token << " head " << head);
    const Row r = row(x, theirs, ours.view(), i);
    const bool turns = head_turns(plan.scheme(), head, x.size(1));
    if (turns) expect_turned(c, plan, r, token, head);
    expect_passed(c, plan.scheme(), r, turns ? plan.scheme().turning() : 0);
  }
}

// Every array of the file belongs to a case that is read: five or four for each, and the input.
TEST(Golden, EveryCaseIsRead) {
  size_t read = 1;
  for (const Case& c : cases()) read += c.has("weight") ? 5 : 4;
  EXPECT_EQ(read, golden::arrays().size());
  EXPECT_GE(cases().size(), 59U);
}

TEST(Golden, FrequenciesOfThePeers) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    const RotaryPlan plan = c.plan(c.rope());
    const auto& ours = plan.frequencies();
    const auto theirs = numbers(c.array("frequencies").view());
    ASSERT_EQ(ours.size(), theirs.size());
    for (size_t k = 0; k < ours.size(); ++k)
      EXPECT_NEAR(radians(ours[k]), theirs[k], 1e-6 * std::abs(theirs[k])) << "pair " << k;
  }
}

TEST(Golden, FactorsOfThePeers) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    const RotaryPlan plan = c.plan(c.rope());
    EXPECT_NEAR(plan.cos_sin_factor(), c.cos_sin_factor, 1e-6 * c.cos_sin_factor);
    EXPECT_NEAR(plan.softmax_factor(), c.softmax_factor, 1e-6 * c.softmax_factor);
  }
}

TEST(Golden, QueriesAndKeysOfThePeers) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    const RotaryPlan plan = c.plan(c.rope());
    for (const char* which : {"q", "k"}) expect_same(c, plan, which);
  }
}

// With the peer's own frequencies the angles are the same to the bit, at every position.
TEST(Golden, QueriesAndKeysWithTheFrequenciesOfThePeers) {
  for (const Case& c : cases()) {
    if (c.has("weight") || c.cos_sin_factor != 1) continue;
    SCOPED_TRACE(c.what);
    Rope rope = c.rope();
    const RotaryPlan usual = c.plan(rope);
    std::vector<double> axes;
    for (const PairAxis& p : usual.pairs()) axes.push_back(static_cast<double>(p.axis));
    rope.frequencies = ListedFrequencies{numbers(c.array("frequencies").view())};
    rope.scaling = NoScaling{};
    if (rope.pairs() > 0) rope.axes = ListedAxes{axes};
    const RotaryPlan plan = c.plan(rope);
    for (const char* which : {"q", "k"}) expect_same(c, plan, which);
  }
}

}  // namespace
}  // namespace posenc::golden_test
