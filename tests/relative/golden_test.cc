// What transformers, timm and x-transformers add to scores by position alone (golden/relative.py).
#include "tests/relative/golden.h"

#include <gtest/gtest.h>

#include <set>

namespace posenc::golden_test {
namespace {

using golden::Case, golden::cases, golden::scheme_of;

double rounded(DType type, double x) {
  double out = 0;
  dispatch(type, [&]<class T>() { out = as_double(rounded_to<T>(static_cast<Compute<T>>(x))); });
  return out;
}

// The biases of a case's queries and keys.
Array filled(const Case& c, const BiasPlan& plan, DType type) {
  Array out = make_array(type, c.array("bias").shape);
  fill(plan, out.view(), c.score_options());
  return out;
}

// Whether the peer's number is what its type makes of a number within its roundings of ours.
bool same(const Case& c, double ours, double theirs) {
  if (c.type == DType::f64 && c.array("bias").dtype == DType::f64)
    return std::abs(ours - theirs) <= golden::f64_error;
  const double apart = c.roundings * 0x1p-24 * std::abs(ours);
  return theirs >= rounded(c.type, ours - apart) && theirs <= rounded(c.type, ours + apart);
}

int64_t differing_biases(const Case& c, const BiasPlan& plan) {
  const Tensor theirs = c.array("bias").view();
  const Array ours = filled(c, plan, DType::f64);
  int64_t count = 0;
  for (int64_t n = 0; n < theirs.elements(); ++n)
    count += same(c, get(ours.view(), n), get(theirs, n)) ? 0 : 1;
  return count;
}

// With a table that holds the numbers of its own rows, the profile is the list of buckets.
int64_t differing_buckets(const Case& c, const Bias& scheme) {
  const int64_t rows = std::get<T5Bias>(scheme).buckets, reach = -c.runs[0].first;
  Array table = make_array(DType::f32, {rows, 1});
  for (int64_t r = 0; r < rows; ++r) set(table.view(), r, static_cast<double>(r));
  Array profile = make_array(DType::f32, {1, 2 * reach + 1});
  const Tensor weight = table.view();
  fill_profile(prepare(scheme, {.weights = std::span(&weight, 1)}), profile.view(), -reach);
  return golden::differing_buckets(c.runs, [&](int64_t r) {
    return static_cast<int64_t>(profile.values<float>()[static_cast<size_t>(r + reach)]);
  });
}

int64_t differing(const Case& c, const Bias& scheme) {
  if (!c.runs.empty()) return differing_buckets(c, scheme);
  return differing_biases(c, prepare(scheme, {.weights = c.weights()}));
}

TEST(Golden, BiasesOfThePeers) {
  std::set<std::string> seen;
  for (const Case& c : cases("bias")) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(differing(c, scheme_of<Bias>(c)), 0);
    seen.insert(c.scheme);
  }
  EXPECT_EQ(seen,
            (std::set<std::string>{"alibi", "clipped", "continuous", "dynamic", "t5", "window"}));
}

// Written in the peer's own type, our numbers are those of the formula, rounded once.
TEST(Golden, BiasesInTheTypesOfThePeers) {
  for (const Case& c : cases("bias")) {
    if (!c.runs.empty() || c.type == DType::f64) continue;
    SCOPED_TRACE(c.what);
    const BiasPlan plan = prepare(scheme_of<Bias>(c), {.weights = c.weights()});
    const Array exact = filled(c, plan, DType::f64), ours = filled(c, plan, c.type);
    for (int64_t n = 0; n < ours.view().elements(); ++n)
      EXPECT_EQ(get(ours.view(), n), rounded(c.type, get(exact.view(), n)));
  }
}

WindowResize how(const std::string& name) {
  WindowResize out{};
  set_option(out, "how", "", name);
  return out;
}

TEST(Golden, ResizedTables) {
  EXPECT_EQ(cases("resize").size(), 5U);
  for (const Case& c : cases("resize")) {
    SCOPED_TRACE(c.what);
    const Tensor theirs = c.array("out").view();
    const Array table = golden::as_f64(c.array("weight 0"));
    const Array ours = make_array(DType::f64, c.array("out").shape);
    const auto& r = c.resize;
    resize_window(table.view(), ours.view(), {r[0], r[1]}, {r[2], r[3]}, how(r[4]));
    for (int64_t n = 0; n < theirs.elements(); ++n)
      EXPECT_NEAR(get(ours.view(), n), get(theirs, n), golden::f64_error);
  }
}

// Wrong options are seen by the comparison above.
struct Wrong {
  std::string scheme;
  Options options;
};
const Wrong wrongs[] = {
    {"alibi", {{"bias_max", "7.99"}}},
    {"alibi", {{"square_root", "true"}}},
    {"alibi", {{"form", "keys"}}},
    {"alibi", {{"rounding", "none"}}},
    {"t5", {{"bidirectional", "false"}}},
    {"t5", {{"max_distance", "127"}}},
    {"t5", {{"scale", "1.01"}}},
    {"dynamic", {{"log_distance", "true"}}},
    {"window", {{"height", "5"}, {"width", "3"}}},
    {"continuous", {{"height", "5"}, {"width", "3"}}},
    {"continuous", {{"pretrained_height", "5"}}},
};

TEST(Golden, WrongOptionsDiffer) {
  for (const Wrong& w : wrongs) {
    bool seen = false;
    for (Case c : cases("bias")) {
      if (c.scheme != w.scheme || seen) continue;
      for (const auto& option : w.options) c.options.push_back(option);
      seen = differing(c, scheme_of<Bias>(c)) > 0;
    }
    EXPECT_TRUE(seen) << w.scheme << " " << w.options[0].first;
  }
}

// Every array of the file belongs to a case and is one that the tests read.
TEST(Golden, EveryArrayIsRead) {
  size_t arrays = 0;
  for (const char* family : {"bias", "resize", "content", "values"})
    for (const Case& c : cases(family)) {
      arrays += c.weights().size();
      for (const char* which :
           {"queries", "keys", "bias", "q", "k", "gates", "scores", "probabilities", "out"})
        arrays += c.has(which) ? 1 : 0;
      EXPECT_EQ(c.runs.empty(), c.has(c.family == "bias" ? "bias" : "out")) << c.what;
    }
  EXPECT_EQ(arrays, golden::arrays().size());
}

}  // namespace
}  // namespace posenc::golden_test
