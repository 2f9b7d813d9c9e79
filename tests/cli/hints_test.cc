// hints_test.cc: what posenc says to names of other libraries and of models.
#include "tests/cli/tool.h"

namespace posenc::hints_test {
namespace {

TEST_F(Tool, NamesOfModelsLeadToWhatTheyUse) {
  expect_refusal("table mistral", 2,
                 "unknown scheme 'mistral'; 'posenc list mistral' shows the schemes");
  expect_refusal("table rope --preset mistral", 2,
                 "'posenc list mistral' shows what goes by that name, and --model CONFIG takes");
  expect_refusal("table rope --preset qwen3", 2, "'posenc list qwen3' shows");
  expect_refusal("table rope --preset neox", 2, "did you mean 'gpt-neox'?");
  expect_refusal("table sinusoidal --preset whsiper", 2, "did you mean 'whisper'?");
}

TEST_F(Tool, NamesOfOtherLibrariesLeadToOurs) {
  for (const std::string name : {"theta", "rope_theta"}) {
    expect_refusal("table rope --layout half --" + name + " 5", 2, "did you mean '--base'?");
    expect_refusal("list " + name, 2, "it is the option --base of schemes");
  }
  expect_refusal("table rope --layout neox", 2, "unknown layout 'neox'; posenc calls it 'half'");
  expect_refusal("table rope --layout gptj", 2, "posenc calls it 'interleaved'");
}

TEST_F(Tool, FilesOfOtherKindsAreNamed) {
  write("x.json", R"({"model_type": "llama"})");
  expect_refusal("identify x.json", 1, "got text that begins with {, such as JSON");
  expect_refusal("check x.json", 2, "--model x.json takes the encoding of a model");
  write("x.pt", "PK\x03\x04 what torch.save writes");
  expect_refusal("identify x.pt", 1, "save what torch.load reads as .safetensors");
  write("old.pt", "\x80\x02 what it wrote before");
  expect_refusal("identify old.pt", 1, "got a Python pickle");
}

// Frequencies and the rows of cosines and sines are the same in every layout.
TEST_F(Tool, ALayoutIsNotAskedForWhereItChangesNothing) {
  EXPECT_EQ(output("frequencies rope --dim 8"), output("frequencies rope --dim 8 --layout half"));
  EXPECT_FALSE(json("frequencies rope --json")["options"].contains("layout"));
  EXPECT_EQ(json("frequencies rope --layout half --json")["options"]["layout"], "half");
  for (const std::string kind : {"wavelengths", "decay", "rules"})
    EXPECT_EQ(output("show rope --kind " + kind),
              output("show rope --layout interleaved --kind " + kind));
  expect_refusal("table rope", 2, "expected layout half");
}

}  // namespace
}  // namespace posenc::hints_test
