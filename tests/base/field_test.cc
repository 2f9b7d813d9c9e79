// field_test.cc: every kind of field, listed and set by name.
#include "posenc/field.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/support/allocations.h"
#include "tests/support/message.h"
#include "tests/support/sanitizer.h"

namespace posenc::field_test {
namespace {

enum class Colour { red, dark_green };
constexpr auto enum_names(Colour) { return std::to_array<std::string_view>({"red", "dark-green"}); }

struct Inner {
  double depth = 0.5;
  std::optional<Colour> paint{};
  static Fields fields() {
    return {{"depth", &Inner::depth, "how deep"}, {"paint", &Inner::paint, "which colour, if any"}};
  }
};
struct Square {
  static constexpr std::string_view name = "square";
  double side = 1;
  Inner inside{};
  static Fields fields() {
    return {{"side", &Square::side, "length of a side"},
            {"inside", &Square::inside, "what it holds"}};
  }
};
struct Point {
  static constexpr std::string_view name = "point";
  static Fields fields() { return {}; }
};
struct Thing {
  int64_t count = 3;
  double weight = 2.5;
  bool heavy = false;
  Colour colour = Colour::red;
  std::string label = "a thing";
  std::vector<double> list{1, 2.5};
  std::optional<int64_t> limit{};
  Inner inner{};
  std::variant<Point, Square> shape{};
  static Fields fields() {
    using T = Thing;
    return {{"count", &T::count, "how many"},  {"weight", &T::weight, "kg"},
            {"heavy", &T::heavy, "yes or no"}, {"colour", &T::colour, "paint"},
            {"label", &T::label, "words"},     {"list", &T::list, "numbers"},
            {"limit", &T::limit, "if any"},    {"inner", &T::inner, "inside"},
            {"shape", &T::shape, "what it is"}};
  }
};

void put(Thing& t, std::string_view name, std::string_view text) {
  set_option(t, name, name, text);
}
std::string put_message(std::string_view name, std::string_view text) {
  Thing t;
  return message([&] { put(t, name, text); });
}
Option option(const Thing& t, std::string_view name) {
  for (const Option& o : options_of(t))
    if (o.name == name) return o;
  return {};
}

TEST(Field, ListsEveryOptionInOrder) {
  std::vector<std::string> lines;
  for (const Option& o : options_of(Thing{}))
    lines.push_back(join({o.name, std::string(enum_name(o.kind)), text::write(o.value),
                          join(o.choices, ","), o.only_with.option + " " + o.only_with.choice},
                         "|"));
  EXPECT_EQ(lines,
            (std::vector<std::string>{
                "count|integer|3|| ", "weight|number|2.5|| ", "heavy|boolean|false|| ",
                "colour|choice|red|red,dark-green| ", "label|text|a thing|| ", "list|list|1,2.5|| ",
                "limit|integer||| ", "inner.depth|number|0.5|| ",
                "inner.paint|choice||red,dark-green| ", "shape|choice|point|point,square| ",
                "shape.side|number|1||shape square", "shape.inside.depth|number|0.5||shape square",
                "shape.inside.paint|choice||red,dark-green|shape square"}));
  EXPECT_EQ(option(Thing{}, "inner.depth").help, "how deep");
}

TEST(Field, SetsEveryKind) {
  Thing t;
  put(t, "count", "-7"), put(t, "weight", "1e-3"), put(t, "heavy", "true");
  put(t, "colour", "dark-green"), put(t, "label", "two words"), put(t, "list", "1,-2,3e4");
  put(t, "limit", "9"), put(t, "inner.depth", "8"), put(t, "inner.paint", "red");
  put(t, "shape", "square"), put(t, "shape.side", "4"), put(t, "shape.inside.depth", "5");
  EXPECT_EQ(t.count, -7);
  EXPECT_EQ(t.weight, 1e-3);
  EXPECT_TRUE(t.heavy);
  EXPECT_EQ(t.colour, Colour::dark_green);
  EXPECT_EQ(t.label, "two words");
  EXPECT_EQ(t.list, (std::vector<double>{1, -2, 3e4}));
  EXPECT_EQ(t.limit, 9);
  EXPECT_EQ(t.inner.depth, 8);
  EXPECT_EQ(t.inner.paint, Colour::red);
  EXPECT_EQ(std::get<Square>(t.shape).side, 4);
  EXPECT_EQ(std::get<Square>(t.shape).inside.depth, 5);
  EXPECT_EQ(option(t, "shape.side").value, Value(4.0));
  put(t, "shape", "square");  // picking again starts afresh
  EXPECT_EQ(std::get<Square>(t.shape).side, 1);
}

TEST(Field, WhatWasListedCanBeSetAgain) {
  Thing t;
  put(t, "shape", "square"), put(t, "shape.inside.paint", "dark-green"), put(t, "weight", "0.1");
  Thing again;
  for (const Option& o : options_of(t))
    if (o.value != Value()) put(again, o.name, text::write(o.value));
  EXPECT_EQ(put_message("shape.side", "1").substr(0, 9), "[options]");  // a point has no side
  for (const Option& o : options_of(t)) EXPECT_EQ(option(again, o.name).value, o.value) << o.name;
}

TEST(Field, ErrorsKnowTheirFunctionAndTheUnknownOption) {
  const auto error = [](std::string_view name, std::string_view value) {
    Thing t;
    try {
      put(t, name, value);
    } catch (const Error& e) {
      return e;
    }
    return Error("none");
  };
  const Error unknown = error("inner.dept", "1"), wrong = error("weight", "heavy");
  EXPECT_EQ(unknown.where(), "options");
  EXPECT_EQ(unknown.unknown_option(), "inner.dept");
  EXPECT_EQ(unknown.sentence(), "unknown option 'inner.dept'; did you mean 'depth'?");
  EXPECT_EQ("[options] " + std::string(unknown.sentence()), unknown.what());
  EXPECT_EQ(wrong.unknown_option(), "");
  EXPECT_EQ(wrong.sentence(), "expected weight to be a number, got 'heavy'");
  const Error plain("plain text");
  EXPECT_EQ(plain.where(), "");
  EXPECT_EQ(plain.sentence(), "plain text");
}

struct Read {
  int64_t by_all = 0, by_some = 0;
  static Fields fields() {
    return {{"by_all", &Read::by_all, "anything"},
            Field("by_some", &Read::by_some, "something").of({"rotary", "biases"})};
  }
};

TEST(Field, OptionsKnowTheFamiliesThatReadThem) {
  const auto options = options_of(Read{});
  EXPECT_TRUE(options[0].families.empty());
  EXPECT_EQ(options[0].help, "anything");
  EXPECT_EQ(options[1].families, (std::vector<std::string>{"rotary", "biases"}));
  EXPECT_EQ(options[1].help, "rotary or biases: something");
}

TEST(Field, WrongNamesGetASuggestion) {
  EXPECT_EQ(put_message("wieght", "1"),
            "[options] unknown option 'wieght'; did you mean 'weight'?");
  EXPECT_EQ(put_message("inner.dept", "1"),
            "[options] unknown option 'inner.dept'; did you mean 'depth'?");
  EXPECT_EQ(put_message("colour", "purple"),
            "[options] expected colour to name a choice, got 'purple'; there is: red, dark-green");
  EXPECT_EQ(put_message("colour", "dark-gren"),
            "[options] expected colour to name a choice, got 'dark-gren'; did you mean "
            "'dark-green'?");
  EXPECT_EQ(put_message("shape", "sqare"),
            "[options] expected shape to name a choice, got 'sqare'; did you mean 'square'?");
  EXPECT_EQ(put_message("shape.side", "1"),
            "[options] unknown option 'shape.side'; what it belongs to has no options");
  EXPECT_EQ(put_message("count.x", "1"), "[options] 'count.x' has no option 'x' inside it");
  EXPECT_NE(put_message("inner", "1").find("unknown option 'inner'"), std::string::npos);
  EXPECT_EQ(closest("abc", {"xyz", "uvw"}), "");
  EXPECT_EQ(closest("pos", {"rows", "positions", "position"}), "position");  // it begins so
  EXPECT_EQ(closest("tabel", {"able", "table"}), "table");                   // a swap is one change
  EXPECT_EQ(closest("ros", {"positions", "rows"}), "rows");
  EXPECT_EQ(closest("heat", {"head", "heads"}), "head");
  EXPECT_EQ(closest("bands", {"dim", "order", "offset"}), "");
  EXPECT_EQ(closest("x", {"k", "xy"}), "");
  EXPECT_EQ(suggestion("zzzzzz", {"a", "b"}), "; there is: a, b");
}

TEST(Field, WrongValuesAreNamed) {
  const std::pair<const char*, const char*> integers[] = {
      {"", "an integer"},
      {"1.5", "an integer"},
      {"one", "an integer"},
      {" 1", "an integer"},
      {"1 ", "an integer"},
      {"0x10", "an integer"},
      {"9223372036854775808", "to fit an integer"}};
  for (const auto& [text, part] : integers)
    EXPECT_NE(put_message("count", text).find(part), std::string::npos) << text;
  for (const char* text : {"", "x", "1,2", "nan", "inf", "-inf", "1e999", "1e", "--1", "1.5.2"})
    EXPECT_EQ(put_message("weight", text).find("[options] expected weight to "), 0u) << text;
  for (const char* text : {"", "yes", "1", "True"})
    EXPECT_NE(put_message("heavy", text).find("to be true or false"), std::string::npos) << text;
  for (const char* text : {"", "1,", ",1", "1,,2", "1 2", "1,x", "1,nan"})
    EXPECT_EQ(put_message("list", text).find("[options] expected list to "), 0u) << text;
  EXPECT_NE(put_message("limit", "x").find("expected limit to be an integer"), std::string::npos);
}

// A word that is far longer than every name is compared with none of them: no table of distances.
#ifndef POSENC_ADDRESS_SANITIZER  // there nobody counts
TEST(Field, LongWordsCostNothing) {
  const std::vector<std::string> names{"sinusoidal", "learned", "rope"};
  std::string said;
  const std::string word(1 << 20, 'a');
  const int64_t bytes = peak_of([&] { said = suggestion(word, names); });
  EXPECT_EQ(said, "; there is: sinusoidal, learned, rope");
  EXPECT_LT(bytes, 1 << 16);
  EXPECT_EQ(suggestion("sinusodial", names), "; did you mean 'sinusoidal'?");
}
#endif

template <class T>
void comes_back(const T& value) {
  T back{};
  text::read("x", text::write(value), back);
  RC_ASSERT(back == value);
}
double any_number() {  // any bits, but finite
  const auto bits = *rc::gen::arbitrary<uint64_t>();
  return std::bit_cast<double>((bits >> 52 & 0x7ff) == 0x7ff ? bits & ~(uint64_t{1} << 60) : bits);
}
RC_GTEST_PROP(Field, NumbersComeBack, ()) {
  const double x = any_number();
  double back = 0;
  text::read("x", text::write(x), back);
  RC_ASSERT(std::bit_cast<uint64_t>(back) == std::bit_cast<uint64_t>(x));
  comes_back(*rc::gen::arbitrary<int64_t>());
  comes_back(*rc::gen::arbitrary<bool>());
  comes_back(*rc::gen::arbitrary<std::string>());
  comes_back(std::vector<double>{any_number(), any_number(), any_number()});
  const auto f = static_cast<float>(*rc::gen::arbitrary<int32_t>()) / 7;
  double as_read = 0;
  text::read("x", text::write(f), as_read);
  RC_ASSERT(static_cast<float>(as_read) == f);
}

}  // namespace
}  // namespace posenc::field_test
