// output_test.cc: writing files whole or not at all, and reading them back by path.
#include "model/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "helpers.h"
#include "model/temporary.h"

namespace posenc::output_test {
namespace {

namespace fs = std::filesystem;
class Output : public Folder {};
using Files = Folder;

TEST_F(Output, WritesAndReplaces) {
  atomic_write(path("a"), "one");
  EXPECT_EQ(read("a"), "one");
  const std::string_view pieces[] = {"two", "", " three"};
  atomic_write(path("a"), pieces);
  EXPECT_EQ(read("a"), "two three");
  atomic_write(path("a"), "");
  EXPECT_EQ(read("a"), "");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Output, KeepsPermissions) {
  write("a", "old");
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  atomic_write(path("a"), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms(0640));
  const mode_t mask = ::umask(027);
  atomic_write(path("b"), "new");
  ::umask(mask);
  EXPECT_EQ(fs::status(path("b")).permissions(), fs::perms(0640));
}

TEST_F(Output, FollowsLinks) {
  fs::create_directory(path("there"));
  fs::create_symlink("there/link", path("link"));
  fs::create_symlink("file", path("there/link"));
  for (const char* content : {"new", "newer"}) {
    atomic_write(path("link"), content);
    EXPECT_EQ(read("there/file"), content);
    EXPECT_TRUE(fs::is_symlink(path("link")) && fs::is_symlink(path("there/link")));
  }
  fs::create_symlink("loop", path("loop"));
  expect_message([&] { atomic_write(path("loop"), "x"); }, "Too many levels of symbolic links");
}

TEST_F(Output, SaysWhyItCannot) {
  write("file", "");
  expect_message([&] { atomic_write("", "x"); }, "expected the name of a file");
  expect_message([&] { atomic_write(path(""), "x"); }, "Is a directory");
  expect_message([&] { atomic_write(path("no/a"), "x"); }, "no/a: No such file or directory");
  expect_message([&] { atomic_write(path("new/"), "x"); }, "No such file or directory");
  expect_message([&] { atomic_write(path("file/a"), "x"); }, "Not a directory");
  expect_message([&] { atomic_write(path(std::string(300, 'a')), "x"); }, "File name too long");
  expect_message([&] { atomic_write("/dev/full", "x"); }, "/dev/full: No space left on device");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Output, LeavesTheOldFileWhenTheDiskIsFull) {
  write("a", "old");
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{1000, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said = message([&] { atomic_write(path("a"), std::string(5000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_NE(said.find("File too large"), said.npos) << said;
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Output, WritesPipesDirectly) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read("pipe"); });
  atomic_write(path("pipe"), "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(Output, WritesStandardOutput) {
  for (const char* name : {"-", "/dev/stdout"}) {
    testing::internal::CaptureStdout();
    std::printf("before ");
    atomic_write(name, "bytes");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "before bytes");
  }
}

TEST_F(Output, LeavesNothingUnfinished) {
  write("a", "old");
  {
    posenc::Output out(path("a"));
    out.write("new");
  }
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(count(), 1u);
}

// What a file system without nameless files gets.
TEST_F(Output, RemovesNamedFilesOnRequest) {
  {
    files::TemporaryFile kept(folder_, false), lost(folder_, false);
    ASSERT_GE(lost.file(), 0);
    EXPECT_EQ(count(), 2u);
    EXPECT_EQ(kept.rename_to(path("kept")), 0);
    remove_unfinished();
    EXPECT_EQ(count(), 1u);
    EXPECT_EQ(lost.rename_to(path("lost")), ENOENT);
  }
  EXPECT_EQ(read("kept"), "");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Output, IsWholeUnderRaces) {
  std::vector<std::thread> threads;
  for (const char c : {'a', 'b', 'c', 'd'}) {
    threads.emplace_back([this, c] {
      for (int i = 0; i < 50; ++i) atomic_write(path("a"), std::string(3000, c));
    });
  }
  for (auto& thread : threads) thread.join();
  const std::string content = read("a");
  EXPECT_EQ(content, std::string(3000, content.at(0)));
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, RoundTripByExtension) {
  const Array x = numbered(DType::f64, {2, 3}), y = numbered(DType::bf16, {4});
  write_arrays(path("x.npy"), {{"x", x}});
  expect_same(read_array(path("x.npy")), x);
  EXPECT_EQ(read_arrays(path("x.npy")).at(0).first, "");
  EXPECT_TRUE(read_metadata(path("x.npy")).empty());
  write_arrays(path("xy.safetensors"), {{"y", y}, {"x", x}}, {{"by", "posenc"}});
  expect_same(read_array(path("xy.safetensors"), "y"), y);
  EXPECT_EQ(read_arrays(path("xy.safetensors")).at(0).first, "x");
  EXPECT_EQ(read_metadata(path("xy.safetensors")).at("by"), "posenc");
  fs::rename(path("x.npy"), path("x.safetensors"));
  expect_same(read_array(path("x.safetensors")), x);
  EXPECT_EQ(count(), 2u);
}

TEST_F(Files, SayWhichTensorIsWanted) {
  const Array x = numbered(DType::f32, {2});
  const std::string file = path("a.safetensors"), npy = path("a.npy");
  write_arrays(npy, {{"", x}});
  write_arrays(file, {{"only", x}});
  expect_same(read_array(file), x);
  write_arrays(file, {{"b", x}, {"a", x}});
  expect_message([&] { read_array(file); },
                 "a.safetensors: expected --tensor NAME, got none; the file holds \"a\", \"b\"");
  expect_message([&] { read_array(file, "c"); }, "got \"c\"; the file holds \"a\", \"b\"");
  expect_message([&] { read_array(npy, "c"); }, "expected no tensor name for a .npy file");
  write_arrays(file, {});
  EXPECT_TRUE(read_arrays(file).empty());
  expect_message([&] { read_array(file); }, "got a file that holds none");
}

TEST_F(Files, SayWhatCannotBeRead) {
  expect_message([&] { read_arrays(path("none")); }, "none: cannot read: No such file");
  expect_message([&] { read_arrays(path("")); }, "cannot read: Is a directory");
  expect_message([&] { read_arrays("/dev/zero"); }, "expected a file or a pipe, got a device");
  expect_message([&] { read_arrays(write("a", "")); }, "got an empty file");
  expect_message([&] { read_arrays(write("a", "PK\x03\x04....")); }, "got a zip: unpack an .npz");
  expect_message([&] { read_arrays(write("a", R"({"model_type": "llama"})")); }, "such as JSON");
  expect_message([&] { read_arrays(write("a", "\x80\x04\x95........")); }, "a Python pickle");
  expect_message([&] { read_arrays(write("a", "GGUF....")); }, "got GGUF");
  expect_message([&] { read_arrays(write("a", "{}")); },
                 "a: expected a .npy or .safetensors file, got text that begins with {");
  expect_message([&] { read_array(write("a", "\x93NUMPY")); }, "a: expected a .npy file");
}

TEST_F(Files, SayWhatCannotBeWritten) {
  const Array x = numbered(DType::bf16, {2});
  expect_message([&] { write_arrays(path("a.txt"), {{"x", x}}); }, ".npy or .safetensors, got ");
  expect_message([&] { write_arrays(path("a.npy"), {{"x", x}}); }, "[write_arrays] expected f32");
  expect_message([&] { write_arrays(path("a.npy"), {{"x", x}, {"y", x}}); }, "one array for ");
  EXPECT_EQ(count(), 0u);
}

TEST_F(Files, ComeThroughPipes) {
  const Array x = numbered(DType::f32, {50000});
  ASSERT_EQ(::mkfifo(path("pipe.npy").c_str(), 0600), 0);
  std::thread writer([&] { write_arrays(path("pipe.npy"), {{"", x}}); });
  expect_same(read_array(path("pipe.npy")), x);
  writer.join();
}

// A writer that never ends is refused after a gibibyte.
TEST_F(Files, EndlessPipesAreRefused) {
  ASSERT_EQ(::mkfifo(path("endless").c_str(), 0600), 0);
  std::thread writer([&] {
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    const int pipe = ::open(path("endless").c_str(), O_WRONLY);
    const std::vector<char> zeros(1 << 16);
    while (::write(pipe, zeros.data(), zeros.size()) > 0) {
    }
    ::close(pipe);
    ::signal(SIGPIPE, before);
  });
  expect_message([&] { read_arrays(path("endless")); },
                 "endless: expected at most 1073741824 bytes from a pipe, got more");
  writer.join();
}

// The system would take what stands before it: another file.
TEST_F(Files, PathsWithAZeroByteAreRefused) {
  const Array x = numbered(DType::f32, {2});
  write_arrays(path("a.npy"), {{"", x}});
  const std::string cut = path("a.npy") + '\0' + ".npy";
  const std::string part = "expected a path without a zero byte, got ";
  expect_message([&] { read_arrays(cut); }, part);
  expect_message([&] { write_arrays(cut, {{"", x}}); }, part);
  expect_message([&] { atomic_write(cut, "text"); }, part);
  expect_same(read_array(path("a.npy")), x);
}

TEST(Arrays, AreCheckedZeroAndAligned) {
  for (const int64_t n : {1, 3, 1000}) {
    Array array = make_array(DType::f32, {n, 3});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.bytes.data()) % 64, 0u);
    for (const float value : array.values<float>()) EXPECT_EQ(value, 0.0f);
  }
  expect_message([] { make_array(DType::f32, {2, -1}); }, "got shape [2, -1]");
  expect_message([] { make_array(DType::f32, {1LL << 40, 1LL << 40}); }, "size fits 63 bits");
  expect_message([] { make_array(DType::f32, std::vector<int64_t>(9, 1)); }, "at most 8 axes");
  expect_message([] { make_array(DType::f32, {1}).values<double>(); }, "expected f64 elements");
}

}  // namespace
}  // namespace posenc::output_test
