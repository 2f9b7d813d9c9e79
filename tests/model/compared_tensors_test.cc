// compared_tensors_test.cc: what the headers of .safetensors files say beside a configuration.
#include "files.h"

namespace posenc::model::compared_tensors_test {
namespace {

using ComparedTensors = Folder;

// What a configuration says, here as it would be read, beside tensors.
Model said(Component part) {
  Model out;
  out.components = {std::move(part)};
  return out;
}
Component table(int64_t rows, int64_t dim) {
  return {"text",
          "learned",
          {{"rows", rows}, {"dim", dim}, {"weight", "embeddings.position_embeddings.weight"}}};
}

TEST_F(ComparedTensors, TablesOfAnotherShapeAreConflicts) {
  write("model.safetensors", tensors({{"bert.embeddings.position_embeddings.weight", {512, 8}}}));
  Model same = said(table(512, 8));
  compare_with_tensors(same, folder_);
  EXPECT_EQ(notes_of(same), "");
  Model other = said(table(1024, 8));
  compare_with_tensors(other, folder_);
  EXPECT_EQ(notes_of(other),
            "conflict: the configuration says rows = 1024, the tensor "
            "bert.embeddings.position_embeddings.weight [512, 8] says 512\n");
  Model none = said({"text", "rope", {}});
  compare_with_tensors(none, folder_);
  expect_note(none, "conflict: there is a table of positions");
}

TEST_F(ComparedTensors, StoredFrequenciesAreCompared) {
  write("model.safetensors",
        inv_freq_file("model.layers.0.self_attn.rotary_emb.inv_freq", 32, 10000));
  const auto noted = [&](const Rope& rope) {
    Component part{"text", "rope", {{"rotary_dim", rope.turning()}}};
    part.ready = rope;
    Model model = said(part);
    compare_with_tensors(model, folder_);
    return notes_of(model);
  };
  Rope rope{.dim = 64, .layout = Layout::half};
  EXPECT_EQ(noted(rope), "");
  Rope linear = rope;
  linear.scaling = Linear{4};
  EXPECT_EQ(noted(linear), "");
  Rope other = rope;
  other.base = 20000;
  EXPECT_EQ(noted(other),
            "conflict: model.layers.0.self_attn.rotary_emb.inv_freq holds frequencies other than "
            "those of the configuration, base 20000: those of base 10000\n");
  Rope wide{.dim = 128, .layout = Layout::half};
  EXPECT_EQ(noted(wide).substr(0, 54), "conflict: the configuration says rotary_dim = 128, the");
}

TEST_F(ComparedTensors, AbsentFilesAreFineAndBrokenOnesAreNamed) {
  Model model = said(table(512, 8));
  compare_with_tensors(model, folder_);
  write("model.safetensors.index.json", R"({"weight_map":{"a":"gone.safetensors"}})");
  compare_with_tensors(model, folder_);
  EXPECT_EQ(notes_of(model), "");
  write("gone.safetensors", "broken");
  expect_message([&] { compare_with_tensors(model, folder_); }, "gone.safetensors: expected");
}

}  // namespace
}  // namespace posenc::model::compared_tensors_test
