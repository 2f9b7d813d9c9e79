// json_test.cc: options as JSON, there and back, and input that means no good.
#include <gtest/gtest.h>

#include "tests/support/message.h"
#include "tests/support/schemes.h"

namespace posenc::json_test {
namespace {

TEST(Json, ComesBack) {
  for (const auto& [name, options] : all_named()) {
    SCOPED_TRACE(name + " " + (options.empty() ? "" : options[0].second));
    const Scheme made = make_scheme(name, options);
    const std::string json = to_json(made);
    EXPECT_EQ(to_json(scheme_from_json(name, json)), json);
    const auto before = info(made).options, after = info(scheme_from_json(name, json)).options;
    for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].value, after[i].value);
  }
  EXPECT_EQ(to_json(make_scheme("cope")),
            R"({"dim":64,"positions":64,"scaled_gates":true,"soft":0})");
  EXPECT_NE(to_json(make_scheme("rope", {{"preset", "gpt-oss"}}))
                .find(R"("scaling":{"type":"yarn","factor":32,)"),
            std::string::npos);
  EXPECT_NE(to_json(make_scheme("transformer-xl"))
                .find(R"("sinusoids":{"dim":512,"base":10000,"rule":{"type":"paper"},"order")"),
            std::string::npos);
}

TEST(Json, EscapesAreRead) {
  EXPECT_EQ(to_json(scheme_from_json("sinusoidal", R"({"\u0064im":32})")),
            to_json(make_scheme("sinusoidal", {{"dim", "32"}})));
}

TEST(Json, PicksAndRefines) {
  const auto same = [](const char* name, const char* json, const Options& options) {
    EXPECT_EQ(to_json(scheme_from_json(name, json)), to_json(make_scheme(name, options))) << json;
  };
  same("temporal", "{}", {});
  same("rope", R"({"dim": 64, "layout": "half", "scaling": {"factor": 4, "type": "yarn"}})",
       {{"dim", "64"}, {"layout", "half"}, {"scaling", "yarn"}, {"scaling.factor", "4"}});
  same("rope", R"( {"rotary_dim":null,"preset":"gptj","axes":"one"} )",
       {{"dim", "256"}, {"layout", "interleaved"}});
  same("rope", R"({"layout":"half","axes":{"type":"chunked","sections":[16,2.4e1,24]}})",
       {{"layout", "half"}, {"axes", "chunked"}, {"axes.sections", "16,24,24"}});
  same("transformer-xl", R"({"sinusoids":{"rule":{"type":"timescales","min_timescale":2}}})",
       {{"sinusoids.rule", "timescales"}, {"sinusoids.rule.min_timescale", "2"}});
}

TEST(Json, RopeTakesTheWordsOfHuggingFace) {
  const std::string own = to_json(make_scheme("rope", {{"dim", "64"},
                                                       {"layout", "half"},
                                                       {"base", "1000000"},
                                                       {"scaling", "yarn"},
                                                       {"scaling.factor", "4"}}));
  for (const char* rule :
       {R"("rope_theta":1e6,"rope_scaling":{"factor":4,"rope_type":"yarn"})",
        R"("rope_theta":1e6,"scaling":{"rope_type":"yarn","factor":4,"type":"yarn"})",
        R"("rope_parameters":{"factor":4,"rope_theta":1000000,"rope_type":"yarn"})"})
    for (const char* name : {"rope", "rotary", "pi"})
      EXPECT_EQ(to_json(scheme_from_json(
                    name, R"({"dim":64,"layout":"half",)" + std::string(rule) + "}")),
                own);
  EXPECT_EQ(
      to_json(scheme_from_json(
          "rope", R"({"dim":64,"layout":"half","rope_parameters":{"rope_type":"default",
                    "partial_rotary_factor":0.5}})")),
      to_json(make_scheme("rope", {{"dim", "64"}, {"layout", "half"}, {"rotary_dim", "32"}})));
  EXPECT_EQ(message([] { scheme_from_json("rope", R"({"base":1e4,"rope_theta":1e6})"); }),
            "[options] expected base once, got 10000 and, as rope_theta, 1000000");
  EXPECT_EQ(message([] { scheme_from_json("sinusoidal", R"({"rope_theta":1e6})"); }).substr(0, 35),
            "[options] unknown option 'rope_thet");
}

TEST(Json, WrongInputIsNamed) {
  const auto expect = [](const std::string& json, const std::string& text) {
    EXPECT_EQ(message([&] { scheme_from_json("sinusoidal", json); }), text) << json;
  };
  const std::string ended = ", got the end of the text";
  expect("", "[json] expected an object, '{'" + ended);
  expect("[1]", "[json] expected an object, '{' at byte 0, got \"[1]\"");
  expect("{", "[json] expected a name in quotes" + ended);
  expect("{\"dim\"", "[json] expected ':'" + ended);
  expect("{\"dim\":", "[json] expected a value" + ended);
  expect("{\"dim\":4", "[json] expected ',' or '}'" + ended);
  expect("{\"dim\":4,}", "[json] expected a name in quotes at byte 9, got \"}\"");
  expect("{\"dim\":4} x", "[json] expected the end of the text at byte 10, got \"x\"");
  expect("{\"dim", "[json] expected a closing quote" + ended);
  expect("{\"di\n  m\":4}", R"([json] expected a closing quote at byte 4, got "\x0a  m")");
  expect("{\"\\x64im\":4}",
         "[json] expected one of \"\\/bfnrtu after a backslash at byte 3, got \"x64im\":4}\"");
  expect("{\"dim\":4,\"dim\":5}", "[json] expected each key of an object once, got \"dim\" twice");
  for (const char* wrong : {"+1", "-", ".5", "01", "0x10", "nan", "Infinity", "tru", "'4'"})
    EXPECT_EQ(message([&] {
                scheme_from_json("sinusoidal", "{\"dim\":" + std::string(wrong) + "}");
              }).find("[json] expected "),
              0u)
        << wrong;
  for (const char* wrong : {"1e999", "1e", "1-2"})
    EXPECT_NE(
        message([&] { scheme_from_json("sinusoidal", "{\"base\":" + std::string(wrong) + "}"); }),
        "")
        << wrong;
  const std::string integer = "[options] expected dim to be an integer of 64 bits, got ";
  expect("{\"dim\":\"4\"}", integer + "'4'");
  expect("{\"dim\":4.5}", integer + "4.5");
  expect("{\"dim\":9223372036854775808}", integer + "9223372036854775808");
  expect("{\"dim\":null}", integer + "nothing");
  expect("{\"dim\":[4]}", integer + "a list");
  expect("{\"learned_scale\":1}", "[options] expected learned_scale to be true or false, got 1");
  expect("{\"first\":true}", "[options] expected first to name a choice, got true");
  expect("{\"rule\":\"papr\"}",
         "[options] expected rule to name a choice, got 'papr'; did you mean 'paper'?");
  expect("{\"rule\":{\"type\":{}}}",
         "[json] expected the name of a type, in quotes at byte 16, got \"{}}}\"");
  expect("{\"rule\":{\"type\":\"explicit\",\"frequencies\":[[1]]}}",
         "[json] expected a number at byte 42, got \"[1]]}}\"");
  expect("{\"dims\":4}", "[options] unknown option 'dims'; did you mean 'dim'?");
  expect("{\"dim\":{\"type\":4}}",
         "[json] expected the name of a type, in quotes at byte 15, got \"4}}\"");
  expect("{\"dim\":{}}", "[json] expected a type or options in dim, got an empty object");
  expect(R"({"rule.base": 4, "rule": {"base": 5}})",
         "[json] expected rule.base once, got it again");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  expect(deep, "[json] expected at most 8 objects or lists inside each other");
  std::string wide = "{";
  for (int i = 0; i < 2000; ++i) wide += "\"x" + std::to_string(i) + "\":1,";
  expect(wide, "[json] expected at most 1000 members of an object");
}

}  // namespace
}  // namespace posenc::json_test
