// What transformers and x-transformers add to scores that reads queries or keys
// (golden/relative.py).
#include "posenc/content.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/relative/golden.h"

namespace posenc::golden_test {
namespace {

using golden::as_f64, golden::Case, golden::cases, golden::scheme_of;

// q . k, the scores the peer says it was given, or nothing.
Array scores_of(const Case& c) {
  if (c.has("scores")) return as_f64(c.array("scores"));
  Array out = make_array(DType::f64, c.array("out").shape);
  if (!c.has("k")) return out;
  const Tensor s = out.view(), q = c.array("q").view(), k = c.array("k").view();
  const int64_t heads = q.size(1), dim = q.size(2);
  for (int64_t n = 0; n < s.elements(); ++n) {
    const int64_t head = n / (s.size(1) * s.size(2)), i = n / s.size(2) % s.size(1);
    double sum = 0;
    for (int64_t d = 0; d < dim; ++d)
      sum +=
          get(q, (i * heads + head) * dim + d) * get(k, (n % s.size(2) * heads + head) * dim + d);
    set(s, n, sum);
  }
  return out;
}

// Whether a causal mask leaves the n-th score.
bool seen(const Case& c, int64_t n) {
  const Tensor out = c.array("out").view();
  const auto at = [&](const char* which, int64_t token) {
    return c.has(which) ? get(c.array(which).view(), token) : static_cast<double>(token);
  };
  return !c.causal || at("keys", n % out.size(2)) <= at("queries", n / out.size(2) % out.size(1));
}

Array added(const Case& c, const Content& scheme) {
  std::map<std::string, Array> inputs;
  for (const char* which : {"q", "k", "gates"})
    if (c.has(which)) inputs[which] = as_f64(c.array(which));
  const auto view = [&](const char* which) {
    return inputs.contains(which) ? inputs[which].view() : Tensor{};
  };
  const Array scores = scores_of(c);
  Array out = make_array(DType::f64, c.array("out").shape);
  add(prepare(scheme, {.weights = c.weights()}), {view("q"), view("k"), view("gates")},
      scores.view(), out.view(), c.score_options());
  return out;
}

int64_t differing_scores(const Case& c, const Content& scheme) {
  const Tensor theirs = c.array("out").view();
  const Array ours = added(c, scheme);
  int64_t count = 0;
  for (int64_t n = 0; n < theirs.elements(); ++n)
    if (seen(c, n)) {
      count += std::abs(get(ours.view(), n) - get(theirs, n)) <= golden::f64_error ? 0 : 1;
    } else {
      EXPECT_EQ(get(ours.view(), n), -std::numeric_limits<double>::infinity());
    }
  return count;
}

int64_t differing(const Case& c) {
  const Content scheme = scheme_of<Content>(c);
  if (!c.runs.empty())
    return golden::differing_buckets(c.runs,
                                     [&](int64_t r) { return std::get<Deberta>(scheme).row(r); });
  return differing_scores(c, scheme);
}

TEST(Golden, ScoresOfThePeers) {
  std::set<std::string> schemes;
  for (const Case& c : cases("content")) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(differing(c), 0);
    schemes.insert(c.scheme);
  }
  EXPECT_EQ(schemes,
            (std::set<std::string>{"cope", "deberta", "forgetting", "shaw", "transformer-xl"}));
}

TEST(Golden, ValuesOfThePeers) {
  ASSERT_EQ(cases("values").size(), 1U);
  const Case c = cases("values")[0];
  const Array probabilities = as_f64(c.array("probabilities"));
  const Array ours = make_array(DType::f64, c.array("out").shape);
  add_to_outputs(prepare(scheme_of<Content>(c), {.weights = c.weights()}), probabilities.view(),
                 ours.view());
  for (int64_t n = 0; n < ours.view().elements(); ++n)
    EXPECT_NEAR(get(ours.view(), n), get(c.array("out").view(), n), golden::f64_error);
}

// A wrong option is seen by the comparison above.
struct Wrong {
  std::string scheme, option, value;
};
const Wrong wrongs[] = {
    {"transformer-xl", "sinusoids.order", "interleaved"},
    {"transformer-xl", "sinusoids.base", "9999"},
    {"transformer-xl", "clamp_len", "5"},
    {"transformer-xl", "legacy", "true"},
    {"deberta", "max_distance", "513"},
    {"shaw", "beyond", "zero"},
    {"shaw", "order", "query-minus-key"},
    {"forgetting", "side", "after"},
    {"forgetting", "gates", "logits"},
    {"forgetting", "gate_scale", "0.9"},
};

TEST(Golden, WrongOptionsDiffer) {
  for (const Wrong& w : wrongs) {
    bool differs = false;
    for (Case c : cases("content")) {
      if (c.scheme != w.scheme || differs) continue;
      c.options.emplace_back(w.option, w.value);
      differs = differing(c) > 0;
    }
    EXPECT_TRUE(differs) << w.scheme << " " << w.option;
  }
}

TEST(Golden, ScaleInTheWrongPlaceDiffers) {
  for (Case c : cases("content")) {
    if (!c.runs.empty() || c.scale == 1) continue;
    c.scale_on = c.scale_on == ScaleOn::sum ? ScaleOn::scores : ScaleOn::sum;
    EXPECT_GT(differing(c), 0) << c.what;
  }
}

}  // namespace
}  // namespace posenc::golden_test
