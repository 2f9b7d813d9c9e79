// streams_test.cc: standard streams that are full, closed or a terminal; ends that come too early.
#include <pty.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/cli/tool.h"
#include "tests/support/paths.h"

namespace posenc::streams_test {
namespace {

class Streams : public Tool {
 protected:
  // What a terminal gets as the standard error of a shell command, and what the output gets.
  Result on_terminal(const std::string& command) const {
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
      ::setenv("TERM", "xterm", 1);
      const std::string line = "cd '" + folder_.string() + "' && posenc() { '" + tool_dir() +
                               "/posenc' \"$@\"; } && { " + command + "\n} >.out </dev/null";
      ::execlp("bash", "bash", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    std::string shown;
    char block[4096];
    for (ssize_t n = 0; (n = ::read(terminal, block, sizeof block)) > 0;)
      shown.append(block, static_cast<size_t>(n));
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    const std::string out = read(".out");
    std::filesystem::remove(path(".out"));
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, out, shown};
  }
};

TEST_F(Streams, FullOrClosedErrorKeepsTheCode) {
  for (const std::string to : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(shell("posenc bad " + to).code, 2) << to;
    EXPECT_EQ(shell("posenc identify none.npy " + to).code, 1) << to;
    EXPECT_EQ(shell("posenc identify none.npy >&- " + to).code, 1) << to;
  }
}

TEST_F(Streams, FullOrClosedOutputIsAnError) {
  for (const std::string to : {">/dev/full", ">&-"}) {
    for (const std::string what :
         {"list", "table sinusoidal --json", "table sinusoidal --format npy --out -"}) {
      const Result result = shell("posenc " + what + " " + to);
      EXPECT_EQ(result.code, 1) << what << to;
      EXPECT_NE(result.err.find("cannot write to the standard output"), result.err.npos)
          << result.err;
    }
  }
}

// A file that is opened in the place of a closed stream gets nothing that was meant for that.
TEST_F(Streams, ClosedStreamsDoNotReachFiles) {
  output("table sinusoidal --dim 8 --positions 0:4 --out x.npy");
  EXPECT_EQ(shell("posenc table sinusoidal --dim 8 --positions 0:4 --out y.npy <&- >&- 2>&-").code,
            0);
  EXPECT_EQ(read("y.npy"), read("x.npy"));
}

TEST_F(Streams, NothingIsLeftBehind) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const Result stopped =
        shell("timeout -s " + signal + " 0.7 '" + tool_dir() +
              "/posenc' table sinusoidal --dim 512 --positions 0:100000 --out t.csv");
    EXPECT_EQ(stopped.code, 124) << signal << stopped.err;  // of timeout
    EXPECT_EQ(count(), 0u) << signal;
  }
  const Result large =
      shell("ulimit -f 64; posenc table sinusoidal --positions 0:1000 --out t.npy");
  EXPECT_EQ(large.code, 1);
  EXPECT_NE(large.err.find("cannot write t.npy: File too large"), large.err.npos) << large.err;
  EXPECT_EQ(count(), 0u);
}

TEST_F(Streams, LongWorkShowsOnATerminalOnly) {
  output("table sinusoidal --dim 8 --positions 0:40 --out x.npy");
  const std::string slow = "(sleep 3; cat x.npy) | posenc identify -";
  const Result piped = shell(slow), seen = on_terminal(slow);
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.err, "");
  EXPECT_EQ(seen.code, 0) << seen.err;
  EXPECT_EQ(seen.out, piped.out);
  EXPECT_NE(seen.err.find("comparing: 2 s"), seen.err.npos) << seen.err;
  EXPECT_TRUE(seen.err.ends_with("\r\033[K")) << seen.err;
  EXPECT_EQ(on_terminal("posenc identify x.npy").err, "");
  EXPECT_EQ(on_terminal("export TERM=dumb; " + slow).err, "");
}

// Parts of 2048 rows, the last of them short; each row is what it is alone.
TEST_F(Streams, TablesAreWrittenPartByPart) {
  output("table sinusoidal --dim 512 --positions 0:20001 --out x.npy");
  output("table sinusoidal --dim 512 --positions 0:20001 --out x.safetensors");
  Array all = read_array(path("x.npy"));
  EXPECT_EQ(all.shape, (std::vector<int64_t>{20001, 512}));
  expect_same(read_array(path("x.safetensors")), all);
  for (const int64_t row : {8190, 16380, 19990}) {
    const auto run = std::to_string(row) + ":" + std::to_string(row + 11);
    output("table sinusoidal --dim 512 --out part.npy --positions " + run);
    Array part = read_array(path("part.npy"));
    for (size_t i = 0; i < 11 * 512; ++i)
      ASSERT_EQ(part.values<float>()[i], all.values<float>()[static_cast<size_t>(row) * 512 + i]);
  }
}

TEST_F(Streams, TablesNeedNoMemoryOfTheirSize) {
  output("table sinusoidal --dim 1024 --positions 0:65536 --out x.npy");
  rusage used{};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &used), 0);
  EXPECT_LT(used.ru_maxrss * 1024, 160 << 20);
  EXPECT_GT(std::filesystem::file_size(path("x.npy")), size_t{256} << 20);
  expect_refusal("table sinusoidal --dim 1024 --positions 0:9000000000000 --out y.npy", 2,
                 "of free disk");
}

}  // namespace
}  // namespace posenc::streams_test
