// json_test.cc: every command with --json prints an object whose keys docs/json.md explains.
#include <map>
#include <set>
#include <sstream>

#include "tests/cli/tool.h"
#include "tests/support/paths.h"

namespace posenc::json_test {
namespace {

const std::string llama = R"('{"model_type": "llama", "rope_theta": 500000}')";
const std::string oss = R"('{"model_type": "gpt_oss"}')";

// Calls of each command that show all of its keys.
const std::map<std::string, std::vector<std::string>> calls = {
    {"list", {"--json"}},
    {"choose",
     {"--modality text --task generate --length 100000 --extrapolate no --json",
      "--modality graph --task understand --length 9 --extrapolate no --json"}},
    {"table",
     {"learned --dim 4 --positions 0:2 --json", "rope --preset deepseek-v3 --json", "alibi --json",
      "fire --heads 2 --queries 0:2 --keys 0:2 --json",
      "rope --layout half --scaling dynamic --length 9000 --json"}},
    {"apply",
     {"rope --preset gpt-oss --in x.npy --out y.npy --json", "alibi --in s.npy --out t.npy --json",
      "alibi --in s.npy --out t.npy --queries 0:4 --keys 0:9 --json",
      "time2vec --dim 64 --in x.npy --out y.npy --json"}},
    {"shift", {"sinusoidal --dim 4 --k 1 --json"}},
    {"positions",
     {"packed --lengths 3,2 --json", "segments --segments text:2,image:2x3,text:2 --json"}},
    {"frequencies", {"rope --json", "time2vec --json"}},
    {"graph", {"path:3 --dim 2 --json"}},
    {"check", {"time2vec --json"}},
    {"identify", {"x.npy --json"}},
    {"explain", {llama + " --frequencies --json", oss + " --json"}},
    {"diff", {llama + R"( '{"rope_theta": 10000}' --json)", llama + " " + oss + " --json"}},
    {"lint", {oss + " --json", oss + " --strict --json"}},
    {"accuracy", {"--dim 8 --json"}},
    {"bench", {"--filter 'fill f32 1x4096' --seconds 0.01 --peers false --json"}}};

// "eigenvalue_N" of "eigenvalue_12".
std::string general(const std::string& key) {
  const size_t last = key.find_last_not_of("0123456789");
  return last + 1 < key.size() && key[last] == '_' ? key.substr(0, last + 1) + "N" : key;
}

// All keys but those of options, which posenc list explains.
void collect(const Json& json, std::set<std::string>& keys) {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) keys.insert(general(key));
    if (key != "options") collect(value, keys);
  }
}

std::string section(const std::string& page, const std::string& command) {
  const size_t begin = page.find("\n## " + command + "\n");
  if (begin == page.npos) return "";
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

TEST_F(Tool, EveryKeyIsDocumented) {
  std::ifstream file(source_path("docs/json.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  output("table sinusoidal --dim 64 --positions 0:10 --out x.npy");
  output("table alibi --heads 2 --queries 0:4 --keys 0:9 --out s.npy");
  const std::string shared = page.substr(0, page.find("\n## "));
  for (const auto& [command, lines] : calls) {
    std::set<std::string> keys;
    for (const std::string& arguments : lines) {
      const Result result = posenc(command + " " + arguments);
      const Json answer = Json::parse(result.out, nullptr, false);
      ASSERT_TRUE(answer.is_object()) << command << " " << arguments << "\n" << result.err;
      EXPECT_EQ(answer.value("version", 0), 1) << command << " " << arguments;
      collect(answer, keys);
    }
    EXPECT_GT(keys.size(), 2u) << command;
    for (const std::string& key : keys)
      EXPECT_NE((shared + section(page, command)).find("`" + key + "`"), page.npos)
          << "docs/json.md lacks `" << key << "` of " << command;
  }
}

// A command that gains --json is to be added to the calls above.
TEST_F(Tool, EveryCommandWithJsonIsTried) {
  std::istringstream help(output("--help"));
  size_t count = 0;
  for (std::string line; std::getline(help, line) && !line.starts_with("'");) {
    if (!line.starts_with("  ") || line[2] == ' ') continue;
    const std::string command = line.substr(2, line.find(' ', 2) - 2);
    if (output(command + " --help").find("\n  --json ") == std::string::npos) continue;
    EXPECT_TRUE(calls.contains(command)) << command;
    ++count;
  }
  EXPECT_EQ(count, calls.size());
}

}  // namespace
}  // namespace posenc::json_test
