// json_writer_test.cc: trees as JSON text, which another reader understands and writes alike.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "tests/support/random.h"

namespace posenc::json_writer_test {
namespace {

using files::Json, files::JsonList, files::JsonObject, files::JsonStyle, files::write_json;

Json tree() {
  Json out{{"name", "a \"b\" \\ \n\t\x01 \u00e9"}, {"whole", int64_t{1} << 53}, {"real", 2.0}};
  out["none"] = nullptr, out["flag"] = true;
  out["lists"] = JsonList{JsonList{}, std::vector<int64_t>{1, -2}, std::vector<double>{0.5, -0.0}};
  out.at_path("outer.inner.last") = JsonObject{};
  out.at_path("outer.inner.first") = "x";
  out["gone"] = 1;
  out.erase("gone");
  return out;
}

TEST(JsonWriter, Styles) {
  const Json small{{"a", 1}, {"b", std::vector<int64_t>{2, 3}}};
  EXPECT_EQ(write_json(small), R"({"a":1,"b":[2,3]})");
  EXPECT_EQ(write_json(small, JsonStyle::spaced), R"({"a": 1, "b": [2, 3]})");
  EXPECT_EQ(write_json(small, JsonStyle::indented),
            "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ]\n}");
  for (const Json& empty : {Json(JsonList{}), Json(JsonObject{})})
    EXPECT_EQ(write_json(empty, JsonStyle::indented), write_json(empty));
}

TEST(JsonWriter, AnotherLibraryWritesTheSame) {
  const auto other = nlohmann::ordered_json::parse(write_json(tree()));
  EXPECT_EQ(write_json(tree()), other.dump());
  EXPECT_EQ(write_json(tree(), JsonStyle::indented), other.dump(2));
  EXPECT_EQ(nlohmann::ordered_json::parse(write_json(tree(), JsonStyle::spaced)), other);
  EXPECT_EQ(write_json(files::parse_json("test", write_json(tree()))), write_json(tree()));
}

TEST(JsonWriter, NumbersReadBackTheSame) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const double x = std::ldexp(random.real(-1, 1), static_cast<int>(random.integer(-60, 49)));
    const std::string text = write_json(x);
    EXPECT_EQ(nlohmann::json::parse(text).get<double>(), x);
    EXPECT_NE(text.find_first_of(".e"), std::string::npos) << text;
  }
  for (const double x : {0.0001, -0.0003, 0.00012, 1e-5, 1e14, 1e15, 1.5e300})
    EXPECT_EQ(write_json(x), nlohmann::json(x).dump());
  for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")}) EXPECT_EQ(write_json(x), "null");
  EXPECT_EQ(write_json(files::typed_number(64)), "64");
  EXPECT_EQ(write_json(files::typed_number(0.5)), "0.5");
  EXPECT_EQ(write_json(files::typed_number(std::nan(""))), "null");
}

TEST(JsonWriter, TextThatIsNoUtf8IsMended) {
  EXPECT_EQ(write_json("a\xff\x62"), "\"a\ufffdb\"");
  EXPECT_EQ(write_json("\b\f\r\v\x7f"), "\"\\b\\f\\r\\u000b\x7f\"");
}

}  // namespace
}  // namespace posenc::json_writer_test
