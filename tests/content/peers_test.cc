// What models of transformers add to scores that reads their tokens, and its gradients
// (golden/content.py).
#include <gtest/gtest.h>

#include <set>

#include "posenc/content.h"
#include "tests/relative/golden.h"

namespace posenc::peers_test {
namespace {

// Numbers of a case of content.json.
struct Peer {
  nlohmann::json j;
  std::map<std::string, Array> all = golden::arrays_by_name("content");

  std::string key(const std::string& which) const {
    return j["name"].get<std::string>() + " " + which;
  }
  bool has(const std::string& which) const { return all.contains(key(which)); }
  // Rank 0 where there is none.
  Tensor view(const std::string& which) const {
    return has(which) ? all.at(key(which)).view() : Tensor{};
  }
  std::vector<Tensor> weights(const std::string& which) const {
    std::vector<Tensor> out;
    for (int i = 0; has(which + " " + std::to_string(i)); ++i)
      out.push_back(view(which + " " + std::to_string(i)));
    return out;
  }
  Positions at(const std::string& which) const {
    return has(which) ? positions(view(which)) : range();
  }
  ScoreOptions options() const {
    return {.queries = at("queries"),
            .keys = at("keys"),
            .scale = j["scale"],
            .scale_on = j["scale_on"] == "sum" ? ScaleOn::sum : ScaleOn::scores};
  }
  Content scheme() const {
    golden::Case c{};
    c.scheme = j["scheme"], c.options = golden::options_of(j);
    return golden::scheme_of<Content>(c);
  }
};

// The same bound as for other peers in f64.
void expect_same(const Tensor& ours, const Tensor& theirs, const std::string& what) {
  ASSERT_EQ(ours.elements(), theirs.elements()) << what;
  for (int64_t n = 0; n < ours.elements(); ++n)
    ASSERT_NEAR(get(ours, n), get(theirs, n), golden::f64_error) << what << " " << n;
}

void expect_peer(const Peer& p) {
  const ContentPlan plan = prepare(p.scheme(), {.weights = p.weights("weight")});
  const ContentInputs in{p.view("q"), p.view("k")};
  const Array zeros = make_array(DType::f64, p.all.at(p.key("out")).shape);
  const Array out = make_array(DType::f64, zeros.shape);
  const Tensor scores = p.has("scores") ? p.view("scores") : zeros.view();
  add(plan, in, scores, out.view(), p.options());
  expect_same(out.view(), p.view("out"), "scores");
  std::vector<Array> sums;
  std::vector<Tensor> dweights;
  for (const Tensor& w : p.weights("weight"))
    sums.push_back(make_array(DType::f64, {w.shape.begin(), w.shape.begin() + w.rank}));
  for (const Array& a : sums) dweights.push_back(a.view());
  const Array dq = make_array(DType::f64, p.all.at(p.key("q")).shape);
  backward(plan, in, scores, p.view("dout"), {.dq = dq.view()}, dweights, p.options());
  if (p.has("dq")) expect_same(dq.view(), p.view("dq"), "dq");
  const auto theirs = p.weights("dweight");
  ASSERT_EQ(theirs.size(), dweights.size());
  for (size_t i = 0; i < theirs.size(); ++i) expect_same(dweights[i], theirs[i], "weight");
}

TEST(Peers, ScoresAndGradients) {
  std::set<std::string> schemes;
  for (const auto& j : golden::read_cases("content")) {
    SCOPED_TRACE(golden::title(j));
    expect_peer({j});
    schemes.insert(j["scheme"]);
  }
  EXPECT_EQ(schemes, (std::set<std::string>{"decomposed", "gated-t5", "segments", "shaw",
                                            "transformer-xl"}));
}

}  // namespace
}  // namespace posenc::peers_test
