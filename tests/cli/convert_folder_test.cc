// convert_folder_test.cc: posenc convert on the folder of a model makes a whole model folder, or
// nothing, and never writes to what was there.
#include <csignal>
#include <map>

#include "tests/cli/tool.h"
#include "tests/support/paths.h"

namespace posenc::convert_folder_test {
namespace {

namespace fs = std::filesystem;

Array rows(std::vector<int64_t> shape, float from = 0) {
  Array out = make_array(DType::f32, std::move(shape));
  for (float& x : out.values<float>()) x = 1 / (1 + (from += 1));
  return out;
}

class ConvertFolder : public Tool {
 protected:
  ConvertFolder() {
    fs::create_directories(path("m/original"));
    write("m/config.json", R"({"model_type": "llama", "hidden_size": 24, "num_hidden_layers": 1,)"
                           R"( "num_attention_heads": 4, "num_key_value_heads": 2})");
    write("m/tokenizer.json", "{}");
    write("m/model.safetensors.index.json",
          R"({"weight_map": {"a.q_proj.weight": "model-1.safetensors",)"
          R"( "a.k_proj.weight": "model-2.safetensors"}})");
    write("m/pytorch_model.bin", "old weights");
    write("m/original/params.json", "{}");
    write_arrays(path("m/model-1.safetensors"), {{"a.q_proj.weight", rows({24, 7})}});
    write_arrays(path("m/model-2.safetensors"), {{"a.k_proj.weight", rows({12, 7}, 90)}});
  }
  // Every file of the folder with its content; hidden ones of the test itself are not there.
  std::map<std::string, std::string> content(const std::string& folder) const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder)))
      if (entry.is_regular_file())
        out[fs::relative(entry.path(), path(folder))] =
            read(fs::relative(entry.path(), folder_).string());
    return out;
  }
};

TEST_F(ConvertFolder, IsAWholeModelAndComesBackByToAlone) {
  const std::string told = output("convert layout --in m --out there/moved/ --to interleaved");
  EXPECT_NE(told.find("there/moved/ holds the whole model"), told.npos) << told;
  EXPECT_NE(told.find("are converted: original, pytorch_model.bin\n"), told.npos) << told;
  EXPECT_EQ(read("there/moved/config.json"), read("m/config.json"));
  EXPECT_EQ(read("there/moved/tokenizer.json"), "{}");
  EXPECT_FALSE(fs::exists(path("there/moved/pytorch_model.bin")));
  EXPECT_FALSE(fs::exists(path("there/moved/original")));
  EXPECT_EQ(read_metadata(path("there/moved/model-1.safetensors")).at("posenc.a.q_proj.weight"),
            "layout interleaved");
  output("convert layout --in there/moved --out back --to half");
  for (const char* file : {"model-1.safetensors", "model-2.safetensors"})
    for (const auto& [name, array] : read_arrays(path(std::string("m/") + file)))
      expect_same(read_array(path(std::string("back/") + file), name), array);
}

// A snapshot copied with cp -a: links to the very files that are converted.
TEST_F(ConvertFolder, NeverWritesThroughLinksToItsInput) {
  fs::create_directory(path("links"));
  for (const std::string file : {"model-1.safetensors", "model-2.safetensors"})
    fs::create_symlink(path("m/" + file), path("links/" + file));
  const auto before = content("m");
  expect_refusal("convert layout --in m --out links --to interleaved", 2,
                 "expected a new or empty folder as --out, got links, which holds 2 files");
  EXPECT_EQ(content("m"), before);
  // The links as the input: their content is converted, they stay.
  fs::copy_file(path("m/config.json"), path("links/config.json"));
  output("convert layout --in links --out real --to interleaved");
  EXPECT_FALSE(fs::is_symlink(path("real/model-1.safetensors")));
  EXPECT_EQ(content("m"), before);
}

TEST_F(ConvertFolder, AFileThatIsALinkToTheInputIsRefused) {
  write_arrays(path("m.safetensors"),
               {{"a.q_proj.weight", rows({24, 7})}, {"a.k_proj.weight", rows({12, 7})}});
  write_arrays(path("x.npy"), {{"x", rows({2, 8})}});
  const std::string numbers = "--from half --to interleaved --heads 4 --kv_heads 2 --dim 6 ";
  for (const std::string file : {"m.safetensors", "x.npy"}) {
    fs::create_symlink(path(file), path("soft-" + file));
    fs::create_hard_link(path(file), path("hard-" + file));
    for (const std::string link : {"soft-", "hard-"}) {
      const std::string both = " --in " + file + " --out " + link + file;
      const std::string before = read(file);
      expect_refusal(
          file == "x.npy" ? "apply sinusoidal" + both : "convert layout " + numbers + both, 2,
          "got " + link + file + ", a link to " + file);
      EXPECT_EQ(read(file), before);
    }
  }
  output("convert layout " + numbers + "--in m.safetensors --out ./m.safetensors");
}

TEST_F(ConvertFolder, LeavesNothingWhenItFails) {
  write_arrays(path("m/model-2.safetensors"), {{"a.k_proj.weight", rows({11, 7})}});
  expect_refusal("convert layout --in m --out there --to interleaved", 1, "expected \"a.k_proj");
  // Copying comes last: what is written by then goes too.
  write_arrays(path("m/model-2.safetensors"), {{"a.k_proj.weight", rows({12, 7}, 90)}});
  fs::create_directory(path("empty"));
  write("m/tokenizer.json", std::string(4096, ' '));
  const Result stopped =
      shell("ulimit -f 1; posenc convert layout --in m --out empty --to interleaved");
  EXPECT_EQ(stopped.code, 1) << stopped.err;
  EXPECT_NE(stopped.err.find("cannot"), stopped.err.npos) << stopped.err;
  EXPECT_EQ(count(), 2u);
  EXPECT_TRUE(fs::is_empty(path("empty")));
}

// Stopped where it waits for a shard that is a pipe without a writer.
TEST_F(ConvertFolder, LeavesNothingWhenItIsStopped) {
  fs::remove(path("m/model-2.safetensors"));
  const Result stopped = shell(
      "mkfifo m/model-2.safetensors; "
      "(exec '" +
      tool_dir() +
      "/posenc' convert layout --in m --out there --from half --to "
      "interleaved --heads 4 --kv_heads 2 --dim 6) & "
      "while kill -0 $! && ! (ls -d .posenc-* && grep 'State:.S' /proc/$!/status); do :; done; "
      "kill -TERM $!; wait $!");
  EXPECT_EQ(stopped.code, 128 + SIGTERM) << stopped.err;
  EXPECT_EQ(count(), 1u);
}

TEST_F(ConvertFolder, TakesAnEmptyFolderAndOneInsideTheInput) {
  fs::create_directory(path("empty"));
  output("convert layout --in m --out empty --to interleaved");
  const std::string told = output("convert layout --in m --out m/inside --to interleaved");
  EXPECT_EQ(content("empty"), content("m/inside"));
  EXPECT_EQ(told.find(".posenc"), told.npos) << told;
}

}  // namespace
}  // namespace posenc::convert_folder_test
