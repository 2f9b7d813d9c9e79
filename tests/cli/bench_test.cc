// bench_test.cc: posenc bench runs scripts that come with it or that a user names, and no others.
#include <fstream>

#include "tests/cli/tool.h"
#include "tests/support/paths.h"

namespace posenc::bench_test {
namespace {

namespace fs = std::filesystem;

// An interpreter that writes down which scripts it was given.
class Bench : public Tool {
 protected:
  Bench() {
    write("python", "#!/bin/sh\necho \"$2\" >>ran\n");
    fs::permissions(path("python"), fs::perms::owner_all);
  }
  std::string scripts_run(const std::string& tool, const std::string& more = "") const {
    fs::remove(path("ran"));
    const Result result = shell("POSENC_PYTHON=./python " + tool +
                                " bench --filter 'fill f32 1x4096' --seconds 0.01 " + more);
    EXPECT_EQ(result.code, 0) << result.err;
    return read("ran");
  }
  bool is_emulated() const {  // by a script that starts the program, which lies elsewhere
    char first = 0;
    std::ifstream(tool_dir() + "/posenc") >> first;
    return first == '#';
  }
};

TEST_F(Bench, RunsTheScriptsBesideIt) {
  if (is_emulated()) GTEST_SKIP() << "a copy of the script is none of the tool";
  EXPECT_NE(scripts_run("posenc").find(tool_dir() + "/contenders/numpy_peer.py\n"),
            std::string::npos);
  EXPECT_EQ(scripts_run("posenc", "--peers false"), "");
}

TEST_F(Bench, ACopyRunsNothingFromWhereItWasBuilt) {
  if (is_emulated()) GTEST_SKIP() << "a copy of the script is none of the tool";
  shell("cp '" + tool_dir() + "/posenc' tool");
  EXPECT_EQ(scripts_run("./tool"), "");
  fs::create_directory(path("contenders"));
  EXPECT_NE(scripts_run("./tool").find("contenders/numpy_peer.py\n"), std::string::npos);
  fs::permissions(path("contenders"), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(scripts_run("./tool"), "");  // anybody may have written them
}

TEST_F(Bench, RunsThoseOfANamedFolder) {
  fs::create_directory(path("mine"));
  EXPECT_EQ(scripts_run("posenc", "--peers mine"), "mine/torch_peer.py\nmine/numpy_peer.py\n");
  expect_refusal("bench --filter nowhere --peers false", 2, "as --filter, got 'nowhere'");
  expect_refusal("bench --peers nowhere", 2, "expected a folder of scripts or false as --peers");
}

}  // namespace
}  // namespace posenc::bench_test
