// explain_test.cc: what is told of models as JSON, and where two of them differ.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "posenc/model/diff.h"
#include "tests/support/message.h"

namespace posenc::model::explain_test {
namespace {

using Tree = files::Json;
using Json = nlohmann::json;

constexpr const char* llama =
    R"({"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "rope_theta": 10000})";

TEST(Explain, JsonKeepsNumbersAndMendsText) {
  Tree tree;
  tree["whole"] = {int64_t{7}}, tree["real"] = {500000.0}, tree["small"] = {0.1};
  tree["minus"] = {-0.0}, tree["far"] = {INFINITY}, tree["flag"] = {true};
  tree["te\"xt"] = {std::string("a\n\xff\xc3\xa9")};
  tree["list"] = {files::JsonList{{int64_t{1}}, {}}};
  tree["whole"] = {int64_t{8}};  // in its place
  EXPECT_EQ(
      files::write_json(tree),
      "{\"whole\":8,\"real\":500000.0,\"small\":0.1,\"minus\":-0.0,\"far\":null,\"flag\":true,"
      "\"te\\\"xt\":\"a\\n\ufffd\u00e9\",\"list\":[1,null]}");
}

TEST(Explain, LengthsAndRotationOfAComponent) {
  const Model model = read_given(
      R"({"model_type": "llama", "max_position_embeddings": 4096,
          "rope_scaling": {"type": "dynamic", "factor": 2}})");
  const Component& part = model.components.at(0);
  EXPECT_TRUE(model.path.empty());
  EXPECT_EQ(lengths(part).trained, 4096);
  EXPECT_EQ(lengths(part).usable, 4096);
  EXPECT_TRUE(asks_for_length(*part.ready));
  EXPECT_EQ(rotation(part)->length, 4096);
  EXPECT_EQ(rotation(part, 8192)->length, 8192);
  EXPECT_LT(rotation(part, 8192)->frequencies.back(), rotation(part)->frequencies.back());
  expect_message([&] { explain_json(model, {.length = 0}); },
                 "[explain] expected a length of at least 1, got 0");
}

TEST(Explain, DifferencesAsTextAndAsValues) {
  const Model first = read_given(llama), second = read_beside(R"({"rope_theta": 500000})", llama);
  const Comparison found = diff(first, second, {2});
  ASSERT_EQ(found.both.size(), 1u);
  EXPECT_EQ(found.both[0].facts, std::vector<std::string>{"base"});
  const auto facts = [&](FactsAs as) {
    return Json::parse(diff_json(found, first, second, as))["components"][0]["facts"][0];
  };
  EXPECT_EQ(facts(FactsAs::text)["second"], "500000");
  EXPECT_EQ(facts(FactsAs::values)["second"], 500000.0);
  EXPECT_TRUE(diff(first, first).same());
}

// A convolution has a fact of that name, where others have a list of their layers.
TEST(Explain, LayersThatAreAFactAreComparedOnce) {
  const auto vec = [](const char* depth) {
    return read_given(
        std::string(R"({"model_type": "data2vec-audio", "conv_pos_kernel_size": 19,)") +
        R"("num_conv_pos_embeddings": )" + depth + "}");
  };
  const Model first = vec("5"), second = vec("3");
  const auto found = diff(first, second).both.at(0);
  EXPECT_EQ(std::count(found.facts.begin(), found.facts.end(), "layers"), 1);
  EXPECT_EQ(fact_text(*found.first, "layers"), "5");
}

}  // namespace
}  // namespace posenc::model::explain_test
