// configs_test.cc: what configurations say, against what their models' code does.
//
// A fixture is a configuration cut down to the keys that matter, and what it means:
//   "name": {"config": {...}, "components": [{"where": "text", "scheme": "rope", ...}],
//            "notes": ["part of a note", ...], "silent": ["what no note has", ...],
//            "findings": ["part of the first finding of lint", ...]}
// "as" is the model_type whose rule is asked for; "error" stands in the place of components.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "posenc/model.h"
#include "posenc/model/explain.h"
#include "tests/support/message.h"
#include "tests/support/paths.h"

namespace posenc::model::configs_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json load(const fs::path& path) {
  std::ifstream in(path);
  return Json::parse(in);
}

Json json_of(const Value& value) {
  return std::visit(
      []<class T>(const T& v) -> Json {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

// Facts with dots in their names as objects inside.
Json json_of(const Component& part) {
  Json out{{"where", part.where}, {"scheme", part.scheme}, {"runnable", part.is_runnable()}};
  for (const auto& [name, value] : part.facts) {
    const size_t dot = name.find('.');
    (dot == name.npos ? out[name] : out[name.substr(0, dot)][name.substr(dot + 1)]) =
        json_of(value);
  }
  if (!part.positions.empty()) out["positions"] = part.positions;
  if (!part.layers.empty()) out["layers"] = part.layers;
  if (!part.keys.empty()) out["keys"] = part.keys;
  if (part.is_runnable()) {
    const SchemeInfo scheme = part.convolution ? info(*part.convolution) : info(*part.ready);
    out["options"] = Json::parse(to_json(scheme.options));
    out["options"]["scheme"] = scheme.name;
  }
  return out;
}

// Every field that is expected is there and the same, and none that is null; numbers to their last
// digit but one.
void expect_fields(const Json& got, const Json& wanted, const std::string& at) {
  if (wanted.is_number() && got.is_number()) {
    const double w = wanted.get<double>(), g = got.get<double>();
    EXPECT_NEAR(g, w, 1e-12 * std::abs(w)) << at;
  } else if (wanted.is_object() && got.is_object()) {
    for (const auto& [key, value] : wanted.items()) {
      const bool there = got.contains(key) && !got[key].is_null();
      EXPECT_EQ(there, !value.is_null()) << at << "." << key;
      if (got.contains(key)) expect_fields(got[key], value, at + "." + key);
    }
  } else {
    EXPECT_EQ(got, wanted) << at;
  }
}

std::string texts_of(const std::vector<Note>& notes) {
  std::string out;
  for (const Note& note : notes) out += note.text + "\n";
  return out;
}

// No key decides a component and is not read.
void expect_keys_that_decide(const Model& model) {
  for (const Component& part : model.components)
    for (const std::string& key : part.keys)
      for (const Note& note : model.notes)
        EXPECT_FALSE(note.text.starts_with(key + " is not read:"))
            << part.where << ": " << note.text;
}

void expect_model(const Model& model, const Json& wanted) {
  ASSERT_EQ(model.components.size(), wanted["components"].size());
  for (size_t i = 0; i < model.components.size(); ++i)
    expect_fields(json_of(model.components[i]), wanted["components"][i],
                  "components[" + std::to_string(i) + "]");
  expect_keys_that_decide(model);
  const std::string notes = texts_of(model.notes);
  const auto parts = [&](const char* key) { return wanted.value(key, Json::array()); };
  for (const auto& part : parts("silent"))
    EXPECT_EQ(notes.find(part.get<std::string>()), std::string::npos)
        << "expected no note with '" << part.get<std::string>() << "', got\n"
        << notes;
  for (const auto& part : parts("notes"))
    EXPECT_NE(notes.find(part.get<std::string>()), std::string::npos)
        << "expected a note with '" << part.get<std::string>() << "', got\n"
        << notes;
  if (!wanted.contains("findings")) return;
  const std::vector<Note> findings = lint(model).findings;
  ASSERT_EQ(findings.size(), wanted["findings"].size()) << texts_of(findings);
  for (size_t i = 0; i < findings.size(); ++i)
    EXPECT_NE(findings[i].text.find(wanted["findings"][i].get<std::string>()), std::string::npos)
        << texts_of(findings);
}

TEST(Configs, FixturesMeanWhatTheyShould) {
  size_t count = 0;
  for (const auto& file : fs::directory_iterator(source_path("tests/model/fixtures"))) {
    if (file.path().extension() != ".json") continue;
    const Json fixtures = load(file.path());
    for (const auto& [name, fixture] : fixtures.items()) {
      SCOPED_TRACE(file.path().filename().string() + ": " + name);
      ++count;
      const auto read = [&] {
        return read_config(fixture["config"].dump(), fixture.value("as", std::string()));
      };
      if (fixture.contains("error")) {
        const std::string got = message([&] { read(); });
        EXPECT_NE(got.find(fixture["error"].get<std::string>()), std::string::npos) << got;
        continue;
      }
      try {
        expect_model(read(), fixture);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
  EXPECT_GT(count, 0u);
}

// Real configurations, where someone has them: POSENC_MODELS is a folder with configs/NAME.json and
// expected.json.
TEST(Configs, RealOnesMeanWhatTheirCodeDoes) {
  const char* folder = std::getenv("POSENC_MODELS");
  if (!folder) GTEST_SKIP() << "POSENC_MODELS names no folder";
  static const std::vector<std::string> fields{"where",
                                               "scheme",
                                               "layout",
                                               "head_dim",
                                               "rotary_dim",
                                               "base",
                                               "scaling",
                                               "rows",
                                               "dim",
                                               "num_buckets",
                                               "max_distance",
                                               "heads",
                                               "window",
                                               "position_buckets",
                                               "position_offset"};
  const Json all = load(fs::path(folder) / "expected.json");
  for (const auto& [name, entry] : all.items()) {
    SCOPED_TRACE(name);
    Json wanted{{"components", Json::array()}};
    for (const auto& part : entry["components"]) {
      Json kept = Json::object();
      for (const auto& [key, value] : part.items())
        if (std::find(fields.begin(), fields.end(), key) != fields.end()) kept[key] = value;
      wanted["components"].push_back(kept);
    }
    try {
      Model model = read((fs::path(folder) / "configs" / (name + ".json")).string());
      // What is expected of this model is its text alone.
      if (name == "deepseek-vl2-tiny")
        std::erase_if(model.components, [](const Component& c) { return c.where == "vision"; });
      expect_model(model, wanted);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

// All of them are correct models.
TEST(Configs, RealOnesHaveNoFindings) {
  const char* folder = std::getenv("POSENC_MODELS");
  if (!folder) GTEST_SKIP() << "POSENC_MODELS names no folder";
  size_t count = 0;
  for (const auto& file : fs::directory_iterator(fs::path(folder) / "configs")) {
    if (file.path().extension() != ".json") continue;
    SCOPED_TRACE(file.path().filename().string());
    ++count;
    const std::vector<Note> findings = lint(read(file.path().string())).findings;
    EXPECT_TRUE(findings.empty()) << texts_of(findings);
  }
  EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace posenc::model::configs_test
