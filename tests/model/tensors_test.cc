// tensors_test.cc: what the headers of .safetensors files say alone.
#include <cmath>
#include <nlohmann/json.hpp>

#include "files.h"

namespace posenc::model::tensors_test {
namespace {

using Shapes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

class Tensors : public Folder {
 protected:
  Model read(const Shapes& shapes) const {
    return posenc::model::read(write("model.safetensors", tensors(shapes)));
  }
};

// Everything that is told of the components, but for the names of tensors.
std::string told(const Model& model) {
  std::string out;
  for (const Component& part : model.components) {
    out += (out.empty() ? "" : "; ") + part.where + " " + part.scheme;
    for (const auto& [name, value] : part.facts)
      if (name != "weight" && name != "weights") out += " " + name + "=" + text::write(value);
    out += part.ready ? " ready" : "";
  }
  return out;
}

TEST_F(Tensors, NamesAndShapesTell) {
  struct Case {
    Shapes shapes;
    std::string wanted;
  };
  const Case cases[] = {
      {{{"bert.embeddings.position_embeddings.weight", {512, 8}}}, "text learned rows=512 dim=8"},
      {{{"transformer.wpe.weight", {16, 8}}}, "text learned rows=16 dim=8 position_offset=0 ready"},
      {{{"wpe.weight", {16, 8}}}, "text learned rows=16 dim=8 position_offset=0 ready"},
      {{{"model.decoder.embed_positions.weight", {18, 8}},
        {"model.encoder.embed_positions.weight", {18, 8}}},
       "decoder learned rows=18 dim=8; encoder learned rows=18 dim=8"},
      {{{"vit.embeddings.position_embeddings", {1, 10, 16}}},
       "vision learned rows=10 dim=16 position_offset=0 ready"},
      {{{"text_model.embeddings.position_embedding.weight", {12, 16}},
        {"vision_model.embeddings.position_embedding.weight", {5, 16}}},
       "text learned rows=12 dim=16 position_offset=0 ready; "
       "vision learned rows=5 dim=16 position_offset=0 ready"},
      {{{"vision_encoder.pos_embed", {1, 4, 4, 8}}},
       "vision learned rows=16 dim=8 position_offset=0 grid=4,4 ready"},
      {{{"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", {32, 6}}},
       "encoder t5 num_buckets=32 max_distance=128 bidirectional=true heads=6 "
       "table=first layer only, shared by all layers ready"},
      {{{"decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", {32, 6}},
        {"decoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight", {32, 6}}},
       "decoder t5 num_buckets=32 max_distance=128 bidirectional=false heads=6 "
       "table=own table in every layer ready"},
      {{{"wavlm.encoder.layers.0.attention.rel_attn_embed.weight", {320, 12}}},
       "audio t5 num_buckets=320 max_distance=800 bidirectional=true heads=12 "
       "table=first layer only, shared by all layers"},
      {{{"layoutlmv3.encoder.rel_pos_bias.weight", {12, 32}}},
       "attention t5 num_buckets=32 max_distance=128 bidirectional=true heads=12 "
       "table=first layer only, shared by all layers ready"},
      {{{"layoutlmv3.encoder.rel_pos_x_bias.weight", {12, 64}},
        {"layoutlmv3.encoder.rel_pos_y_bias.weight", {12, 64}}},
       "attention t5-2d num_buckets=64 heads=12"},
      {{{"swin.encoder.layers.0.blocks.0.attention.self.relative_position_bias_table", {169, 3}},
        {"swin.encoder.layers.0.blocks.0.attention.self.relative_position_index", {49, 49}},
        {"swin.encoder.layers.1.blocks.0.attention.self.relative_position_bias_table", {169, 6}}},
       "vision swin table_rows=169 window=7 heads_per_stage=3,6"},
      {{{"layers.0.residual_group.blocks.0.attn.relative_position_bias_table", {225, 6}}},
       "vision swin table_rows=225 window=8 heads=6 ready"},
      {{{"layers.0.blocks.0.attn.relative_position_bias_table", {2, 3}}},
       "vision swin table_rows=2 heads=3"},
      {{{"beit.encoder.layer.0.attention.attention.relative_position_bias."
         "relative_position_bias_table",
         {732, 12}}},
       "vision beit table_rows=732 grid=14,14 heads=12 ready"},
      {{{"audio_model.audio_encoder.layers.0.blocks.0.attention.self.relative_position_bias_table",
         {9, 2}}},
       "audio swin table_rows=9 window=2 heads=2 ready"},
      {{{"encoder.layers.0.blocks.0.attention.self.continuous_position_bias_mlp.0.weight",
         {512, 2}},
        {"encoder.layers.0.blocks.0.attention.self.continuous_position_bias_mlp.2.weight",
         {3, 512}}},
       "vision swinv2 hidden=512 heads=3"},
      {{{"deberta.encoder.rel_embeddings.weight", {512, 768}}},
       "text deberta rel_embedding_rows=512 dim=768"},
      {{{"transformer.layer.0.rel_attn.r", {768, 12, 64}}},
       "text transformer-xl d_model=768 heads=12 d_head=64"},
      {{{"encoder.layers.0.self_attn.pos_bias_u", {8, 64}},
        {"encoder.layers.0.self_attn.pos_bias_v", {8, 64}}},
       "audio transformer-xl heads=8 d_head=64"},
      {{{"speech_encoder.encoder.layers.0.self_attn.distance_embedding.weight", {73, 64}}},
       "audio shaw rows=73 dim=64"},
      {{{"wav2vec2.encoder.pos_conv_embed.conv.weight_v", {768, 48, 128}}},
       "audio conv kernel=128 groups=16 hidden=768"},
      {{{"hubert.encoder.pos_conv_embed.conv.parametrizations.weight.original0", {1, 1, 8}},
        {"hubert.encoder.pos_conv_embed.conv.parametrizations.weight.original1", {16, 4, 8}}},
       "audio conv kernel=8 groups=4 hidden=16"},
      {{{"vision_encoder.layers.0.attn.rel_pos_h", {27, 64}},
        {"vision_encoder.layers.0.attn.rel_pos_w", {27, 64}}},
       "vision rel-pos-2d table_rows=27 dim=64"},
      {{{"shared_image_embedding.positional_embedding", {2, 128}}},
       "vision gaussian axes=2 frequencies=128"},
      {{{"lxmert.encoder.visn_fc.box_fc.weight", {768, 4}}}, "vision box-linear pos_dim=4"},
      {{{"graph_encoder.spatial_pos_encoder.weight", {512, 32}}},
       "graph graphormer spatial_table=512,32"},
      {{{"vision_tower.position_embedding_table", {2, 10240, 8}}},
       "vision learned-2d rows_per_axis=10240 dim=8 ready"},
      {{{"layoutlmv3.embeddings.x_position_embeddings.weight", {1024, 128}},
        {"layoutlmv3.embeddings.y_position_embeddings.weight", {1024, 128}}},
       "layout learned-2d rows_per_axis=1024 dim=128"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.shapes[0].first);
    EXPECT_EQ(told(read(c.shapes)), c.wanted);
  }
}

TEST_F(Tensors, WhatIsNotStoredIsTold) {
  const Model bert = read({{"embeddings.position_embeddings.weight", {514, 8}}});
  expect_note(bert, "trap: which row the first token reads is not stored");
  expect_note(bert, "trap: RoPE and ALiBi leave no tensor");
  EXPECT_EQ(bert.format, "safetensors");
  const Model t5 = read({{"a.SelfAttention.relative_attention_bias.weight", {32, 8}}});
  expect_note(t5, "assumed: max_distance is no tensor: 128");
}

TEST_F(Tensors, NothingAboutPositionsIsNotKnown) {
  expect_message(
      [&] {
        read({{"model.layers.0.post_attention_layernorm.weight", {8}},
              {"model.layers.0.self_attn.q_proj.weight", {8, 8}}});
      },
      "not known: no tensor about positions, so the model has rotary ones or ALiBi, which leave "
      "none, or no positions at all: its config.json decides; found 2 tensors: "
      "\"model.layers.0.post_attention_layernorm.weight\"");
}

TEST_F(Tensors, WhatLooksLikePositionsButIsOfNoRuleIsTold) {
  const Model model = read({{"wpe.weight", {4, 8}}, {"strange.position_thing", {4, 8}}});
  expect_note(model, "ignored: no rule reads \"strange.position_thing\"");
  const Model odd = read({{"wpe.weight", {4, 8}}, {"x.pos_embed", {4}}});
  expect_note(odd, "ignored: no rule reads \"x.pos_embed\"");
}

TEST_F(Tensors, StoredFrequenciesTellSizeAndBase) {
  const Model model = posenc::model::read(write(
      "a.safetensors", inv_freq_file("model.layers.0.self_attn.rotary_emb.inv_freq", 64, 500000)));
  ASSERT_EQ(model.components.size(), 1u);
  EXPECT_EQ(model.components[0].scheme, "rope");
  EXPECT_EQ(fact(model.components[0], "rotary_dim"), "128");
  EXPECT_EQ(fact(model.components[0], "base"), "500000");
  EXPECT_FALSE(model.components[0].ready);
  expect_note(model, "the layout, which features form a pair");
}

TEST_F(Tensors, FrequenciesThatAreNoPowersHaveNoBase) {
  Array array = make_array(DType::f32, {3});
  array.values<float>()[0] = 1, array.values<float>()[1] = 0.9f, array.values<float>()[2] = 0.1f;
  const Model model = posenc::model::read(
      write("a.safetensors", format_safetensors({{"rotary_pos_emb.inv_freq", array}})));
  EXPECT_EQ(fact(model.components.at(0), "base"), "(none)");
  array.values<float>()[1] = std::nanf("");
  write("b.safetensors", format_safetensors({{"rotary_pos_emb.inv_freq", array}}));
  expect_message([&] { posenc::model::read(path("b.safetensors")); }, "expected frequencies of 0");
}

TEST_F(Tensors, AnIndexNamesFilesBesideIt) {
  write("one.safetensors", tensors({{"wpe.weight", {16, 8}}}));
  write("two.safetensors", tensors({{"other", {1}}}));
  const auto index = [&](const std::string& file) {
    return write(
        "model.safetensors.index.json",
        R"({"metadata":{},"weight_map":{"other":"two.safetensors","wpe.weight":")" + file + "\"}}");
  };
  EXPECT_EQ(told(posenc::model::read(index("one.safetensors"))),
            "text learned rows=16 dim=8 position_offset=0 ready");
  expect_message([&] { posenc::model::read(index("gone.safetensors")); },
                 "gone.safetensors: cannot read");
  for (const char* name : {"../one.safetensors", "/etc/passwd", "..", "", "a/b", "a\\\\b"})
    expect_message([&] { posenc::model::read(index(name)); },
                   "expected the name of a file in the same folder for tensor \"wpe.weight\"");
  write("model.safetensors.index.json", R"({"weight_map":[1]})");
  expect_message([&] { posenc::model::read(path("model.safetensors.index.json")); },
                 "expected an object as weight_map, got [1]");
}

// The length of the header begins with 0x20 0x7b, blank and brace, as a JSON file does.
TEST_F(Tensors, AHeaderLengthMayLookLikeJson) {
  std::string file = tensors({{"wpe.weight", {2, 2}}});
  const size_t length = static_cast<unsigned char>(file[0]);
  file = file.substr(8, length) + std::string(0x7b20 - length, ' ') + file.substr(8 + length);
  file = "\x20\x7b" + std::string(6, '\0') + file;
  EXPECT_EQ(told(posenc::model::read(write("a.safetensors", file))),
            "text learned rows=2 dim=2 position_offset=0 ready");
}

TEST_F(Tensors, EveryCutIsRefused) {
  const std::string whole = tensors({{"wpe.weight", {2, 2}}, {"rotary_emb.inv_freq", {2}}});
  for (size_t n = 0; n < whole.size(); ++n) {
    write("a.safetensors", std::string_view(whole).substr(0, n));
    try {
      posenc::model::read(path("a.safetensors"));
      ADD_FAILURE() << "read with " << n << " of " << whole.size() << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::data) << error.what();
    }
  }
}

// Real names and shapes, where someone has them: POSENC_MODELS/safetensors-headers.json.
TEST_F(Tensors, RealNamesAreRead) {
  const char* folder = std::getenv("POSENC_MODELS");
  if (!folder) GTEST_SKIP() << "POSENC_MODELS names no folder";
  std::ifstream in(std::string(folder) + "/safetensors-headers.json");
  const auto all = nlohmann::ordered_json::parse(in);
  size_t known = 0;
  for (const auto& [file, entries] : all.items()) {
    SCOPED_TRACE(file);
    Shapes shapes;
    bool about = false;
    for (const auto& [name, shape] : entries.items()) {
      shapes.emplace_back(name, shape.get<std::vector<int64_t>>());
      const bool after = name.find("post") != name.npos || name.find("transposed") != name.npos;
      about |= !after;
    }
    if (file.find("pixart") != file.npos) about = true;
    if (!about) {
      expect_message([&] { read(shapes); }, "not known: no tensor about positions");
      continue;
    }
    const Model model = read(shapes);
    EXPECT_FALSE(model.components.empty());
    EXPECT_EQ(notes_of(model).find("no rule reads"), std::string::npos) << notes_of(model);
    ++known;
  }
  EXPECT_GT(known, 50u);
}

}  // namespace
}  // namespace posenc::model::tensors_test
