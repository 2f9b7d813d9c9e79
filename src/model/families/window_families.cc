// window_families.cc: picture encoders with a bias for each offset inside a window.
#include <algorithm>

#include "model/families/parts.h"

namespace posenc::model {
namespace {

const std::vector<int64_t> swin_heads{3, 6, 12, 24};

struct Stages {
  int64_t window;
  std::vector<int64_t> heads;
};

Stages stages_of(const Config& config, int64_t window, const std::vector<int64_t>& heads) {
  Stages out{size_of(config, "window_size", window),
             sizes_of(config, "num_heads num_attention_heads", heads)};
  if (*std::min_element(out.heads.begin(), out.heads.end()) < 1)
    fail(ErrorKind::data, "read", "expected ", config.path(),
         "num_heads of at least 1 in every stage, got ", text::write(as_list(out.heads)));
  return out;
}

int64_t square(int64_t side) { return side * side; }

// One component stands for all stages: what is ready to use is that of the first.
void tell_stages(const Reading& reading, const Stages& stages) {
  const bool same = std::all_of(stages.heads.begin(), stages.heads.end(),
                                [&](int64_t h) { return h == stages.heads[0]; });
  if (!same)
    reading.trap(
        "stages have " + text::write(as_list(stages.heads)) +
        " heads: the scheme given here is the first stage's, the others differ in `heads`");
}

// A table beside the biases, where the key asks for one.
void add_absolute(const Reading& reading, Keys patch_keys) {
  const Config& config = reading.config;
  if (!config.flag({"use_absolute_embeddings"}).value_or(false)) return;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, patch_keys, {4, 4}));
  reading.add(
      patch_table(grid, 0, size_of(config, "embed_dim", 96), "embeddings.position_embeddings"));
}

struct SwinRow {
  std::string_view types, where, weight;
  int64_t window;
  bool audio;
};
constexpr SwinRow swins[] = {
    {"swin", "vision", "swin.encoder.layers.S.blocks.B.attention.self.relative_position_bias_table",
     7, false},
    {"donut-swin nougat-swin maskformer-swin", "vision",
     "encoder.layers.S.blocks.B.attention.self.relative_position_bias_table", 7, false},
    {"clap_audio_model", "audio",
     "audio_model.audio_encoder.layers.S.blocks.B.attention.self.relative_position_bias_table", 8,
     true},
};

void read_swin(const Reading& outer) {
  const SwinRow& row = row_of(swins, outer.type);
  const Reading reading = named(outer, row.where);
  const Config& config = reading.config;
  const Stages stages =
      stages_of(config, row.window, row.audio ? std::vector<int64_t>{4, 8, 16, 32} : swin_heads);
  Component out{"", "swin", {}};
  out.facts = {{"window", stages.window},
               {"table_rows", square(2 * stages.window - 1)},
               {"heads_per_stage", as_list(stages.heads)},
               {"weight", std::string(row.weight)}};
  if (!row.audio)
    out.facts.emplace_back("absolute", config.flag({"use_absolute_embeddings"}).value_or(false));
  out.positions = "offsets inside a window, row by row";
  reading.add(with_scheme(
      out, WindowBias{.heads = stages.heads[0], .height = stages.window, .width = stages.window}));
  tell_stages(reading, stages);
  if (!row.audio) add_absolute(reading, "patch_size");
}

// A network of the offset. In the last stages a window is no larger than what is left of the
// picture.
void read_swinv2(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Stages stages = stages_of(config, 7, swin_heads);
  std::vector<int64_t> trained(stages.heads.size(), 0);
  if (config.has("pretrained_window_sizes"))
    trained = sizes_of(config, "pretrained_window_sizes", trained);
  if (trained.size() < stages.heads.size())
    config.refuse("pretrained_window_sizes", "a size for every stage",
                  *config.json().find("pretrained_window_sizes"));
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_size", {4, 4}));
  const int64_t last = std::min(grid.height, grid.width) >> (stages.heads.size() - 1);
  Component out{"", "swinv2", {}};
  out.facts = {{"window", stages.window},
               {"pretrained_window_sizes", as_list(trained)},
               {"mlp", "2 -> 512 (ReLU) -> heads"},
               {"coords", "log-spaced, /8 log2"},
               {"bias", "16*sigmoid(mlp)"},
               {"cosine_attention", true},
               {"heads_per_stage", as_list(stages.heads)},
               {"weights",
                "...attention.self.continuous_position_bias_mlp.{0.weight,0.bias,2.weight}, "
                "logit_scale"}};
  out.positions = "offsets inside a window, row by row";
  ContinuousBias bias{.heads = stages.heads[0], .height = stages.window, .width = stages.window};
  if (trained[0] > 0) bias.pretrained_height = bias.pretrained_width = trained[0];
  reading.add(with_scheme(out, bias));
  tell_stages(reading, stages);
  if (last < stages.window)
    reading.trap("the last stage's picture has " + text::write(std::max<int64_t>(last, 1)) +
                 " patches a side: its windows are that small, not window_size");
  reading.trap("scores are cosines times a learned factor; the bias is added after it");
  add_absolute(reading, "patch_size");
}

// One window as large as the picture, with a class token.
void read_beit(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_size", {16, 16}));
  const auto says = [&](const char* key) { return config.flag({key}).value_or(false); };
  const bool own = says("use_relative_position_bias");
  const bool shared = says("use_shared_relative_position_bias");
  const bool absolute = says("use_absolute_position_embeddings");
  const std::string model = reading.type == "beit" ? "beit." : "data2vec_vision.";
  if (absolute)
    reading.add(patch_table(grid, 1, size_of(config, "hidden_size", 768),
                            model + "embeddings.position_embeddings"));
  if (own || shared) {
    const WindowBias bias{.heads = size_of(config, "num_attention_heads", 12),
                          .height = grid.height,
                          .width = grid.width,
                          .table = WindowTable::beit};
    Component out{"", "beit", {}};
    out.facts = {{"grid", grid.list()},
                 {"table_rows", (2 * grid.height - 1) * (2 * grid.width - 1) + 3},
                 {"heads", bias.heads},
                 {"shared_by_layers", shared && !own},
                 {"weight", model +
                                (shared && !own ? "encoder.relative_position_bias."
                                                : "encoder.layer.N.attention.attention."
                                                  "relative_position_bias.") +
                                "relative_position_bias_table"}};
    out.positions = "offsets in the picture, row by row, the class token first";
    reading.add(with_scheme(out, bias));
    reading.trap(
        "the last three rows are for class to patch, patch to class, class to class, in "
        "this order; a picture of another size needs the rows before them resized");
  }
  if (!absolute && !own && !shared)
    reading.add({"", "none", {{"note", "no key asks for a table or a bias"}}});
}

// A row of features for each offset along each side, times the query: Shaw's way on two axes.
void add_decomposed(const Reading& reading, const std::string& layers, Sides sides, int64_t dim) {
  Component out{"", "shaw", {}};
  out.facts = {{"axes", int64_t{2}},
               {"sides", sides.list()},
               {"rows", 2 * sides.height - 1},
               {"dim", dim},
               {"formula", "score += q . R_h[y_q-y_k] + q . R_w[x_q-x_k]"},
               {"layer_kind", layers},
               {"weights", "attn.rel_pos_h, attn.rel_pos_w"}};
  out.positions = "offsets along rows and columns";
  reading.add(std::move(out));
}

// Inside windows in most layers, over the whole picture in some.
void read_sam(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {1024, 1024}),
                             sides_of(config, "patch_size", {16, 16}));
  const int64_t width = size_of(config, "hidden_size", 768);
  if (config.flag({"use_abs_pos"}, true, "the default of its class"))
    reading.add(patch_table(grid, 0, width, "vision_encoder.pos_embed"));
  if (!config.flag({"use_rel_pos"}, true, "the default of its class")) return;
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads", 12));
  const int64_t window = count_of(config, "window_size", 14);
  if (window > 0) add_decomposed(reading, "windows", {window, window}, dim);
  add_decomposed(reading, window > 0 ? "global_attn_indexes" : "all", grid, dim);
}

void read_vitdet(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides patch = sides_of(config, "patch_size", {16, 16});
  const Sides picture = sides_of(config, "image_size", {224, 224});
  const Sides trained = config.has("pretrain_image_size")
                            ? sides_of(config, "pretrain_image_size", picture)
                            : picture;
  const int64_t width = size_of(config, "hidden_size", 768);
  if (config.flag({"use_absolute_position_embeddings"}, true, "the default of its class"))
    reading.add(
        patch_table(grid_of(config, trained, patch), 1, width, "embeddings.position_embeddings"));
  if (!config.flag({"use_relative_position_embeddings"}).value_or(false)) return;
  const int64_t dim = head_size(config, width, size_of(config, "num_attention_heads", 12));
  add_decomposed(reading, "all", grid_of(config, picture, patch), dim);
}

}  // namespace

std::vector<Family> window_list() {
  return joined(families_of(swins, read_swin),
                std::vector<Family>{{"swinv2", read_swinv2},
                                    {"beit data2vec-vision", read_beit},
                                    {"sam_vision_model sam_hq_vision_model", read_sam},
                                    {"vitdet", read_vitdet}});
}

}  // namespace posenc::model
