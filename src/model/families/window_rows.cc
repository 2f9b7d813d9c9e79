// window_rows.cc: picture encoders with a bias for each offset inside a window.
#include <algorithm>

#include "model/families/model_row.h"

namespace posenc::model {
namespace {

struct Stages {
  int64_t window;
  std::vector<int64_t> heads, layers;
};

Stages stages_of(const Config& config) {
  Stages out{size_of(config, "window_size"), sizes_of(config, "num_heads num_attention_heads"),
             sizes_of(config, "depths")};
  if (*std::min_element(out.heads.begin(), out.heads.end()) < 1)
    config.fail("num_heads of at least 1 in every stage, got ", text::write(as_list(out.heads)));
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
void add_absolute(const Reading& reading, const PatchRow& of) {
  const Config& config = reading.config;
  if (!config.flag({"use_absolute_embeddings"}).value_or(false)) return;
  const int64_t width = size_of(config, "embed_dim", of.width);
  reading.add(
      patch_table(patches_of(config, of), of.prefix, width, "embeddings.position_embeddings"));
  if (of.prefix > 0)
    reading.trap(
        "the table has one row more than there are patches: this model's code cannot add it");
}

Component swin(const Stages& stages, std::string_view weight) {
  Component out = described("swin",
                            {{"window", stages.window},
                             {"table_rows", square(2 * stages.window - 1)},
                             {"heads_per_stage", as_list(stages.heads)},
                             {"layers_per_stage", as_list(stages.layers)},
                             {"weight", std::string(weight)}},
                            "offsets inside a window, row by row");
  return with_scheme(
      out, WindowBias{.heads = stages.heads[0], .height = stages.window, .width = stages.window});
}

void read_swin(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const Stages stages = stages_of(config);
  const bool absolute = config.flag({"use_absolute_embeddings"}).value_or(false);
  Component out = swin(stages, row.patches.weight);
  out.facts.emplace_back("absolute", absolute);
  reading.add(std::move(out));
  tell_stages(reading, stages);
  add_absolute(reading, row.patches);
}

void read_clap_audio(const Reading& reading, const ModelRow& row) {
  const Stages stages = stages_of(reading.config);
  reading.add(swin(stages, row.patches.weight));
  tell_stages(reading, stages);
}

// A network of the offset. In the last stages a window is no larger than what is left of the
// picture.
template <bool shrinks>
void read_swinv2(const Reading& reading, const ModelRow& row) {
  const Config& config = reading.config;
  const Stages stages = stages_of(config);
  std::vector<int64_t> trained(stages.heads.size(), 0);
  if (config.has("pretrained_window_sizes"))
    trained = sizes_of(config, "pretrained_window_sizes", trained);
  if (trained.size() < stages.heads.size())
    config.refuse("pretrained_window_sizes", "a size for every stage");
  const int64_t side =
      patches_of(config, row.patches).height;  // its code takes the window's for both
  std::vector<int64_t> windows;
  for (size_t stage = 0; stage < stages.heads.size(); ++stage)
    windows.push_back(std::min(stages.window, std::max<int64_t>(side >> (shrinks ? stage : 0), 1)));
  Component out =
      described("swinv2",
                {{"window", stages.window},
                 {"pretrained_window_sizes", as_list(trained)},
                 {"mlp", "2 -> 512 (ReLU) -> heads"},
                 {"coords", "log-spaced, /8 log2"},
                 {"bias", "16*sigmoid(mlp)"},
                 {"cosine_attention", true},
                 {"heads_per_stage", as_list(stages.heads)},
                 {"layers_per_stage", as_list(stages.layers)},
                 {"windows_per_stage", as_list(windows)},
                 {"weights",
                  "...attention.self.continuous_position_bias_mlp.{0.weight,0.bias,2.weight}, "
                  "logit_scale"}},
                "offsets inside a window, row by row");
  ContinuousBias bias{.heads = stages.heads[0], .height = windows[0], .width = windows[0]};
  if (trained[0] > 0) bias.pretrained_height = bias.pretrained_width = trained[0];
  reading.add(with_scheme(out, bias));
  tell_stages(reading, stages);
  if (windows.back() < stages.window)
    reading.trap("the last stage's picture has " + text::write(windows.back()) +
                 " patches a side: its windows are that small, not window_size");
  reading.trap("scores are cosines times a learned factor; the bias is added after it");
  add_absolute(reading, row.patches);
}

// One window as large as the picture, with a class token.
void read_beit(const Reading& reading, const ModelRow& row) {
  const std::string model(row.patches.weight);
  const Config& config = reading.config;
  const auto says = [&](const char* key) { return config.flag({key}).value_or(false); };
  const bool own = says("use_relative_position_bias");
  const bool shared = says("use_shared_relative_position_bias");
  const bool absolute = says("use_absolute_position_embeddings");
  if (!absolute && !own && !shared)
    return reading.add({"", "none", {{"note", "no key asks for a table or a bias"}}});
  const Sides grid = patches_of(config, row.patches);
  if (absolute)
    reading.add(patch_table(grid, 1, size_of(config, "hidden_size"),
                            model + "embeddings.position_embeddings"));
  if (own || shared) {
    const WindowBias bias{.heads = size_of(config, "num_attention_heads"),
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
    if (grid.height != grid.width)
      config.journal().note(
          NoteKind::conflict, reading.where,
          "transformers takes the table's " + text::write(2 * grid.height - 1) + " x " +
              text::write(2 * grid.width - 1) +
              " offsets as if they were transposed: its biases of a picture that is not square "
              "are those of other offsets");
    reading.trap(
        "the last three rows are for class to patch, patch to class, class to class, in "
        "this order; a picture of another size needs the rows before them resized");
  }
}

// The whole picture is a window; offsets have no signs, and each stage halves the sides.
void read_levit(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  const Sides picture = sides_of(config, "image_size"), patch = sides_of(config, "patch_size");
  const Sides grid = grid_of(config, picture, patch);
  if (grid.height != grid.width)
    config.fail("image_size of as many patches in height as in width, got ", grid.height, " x ",
                grid.width);
  const Stages stages{grid.height, sizes_of(config, "num_attention_heads"),
                      sizes_of(config, "depths")};
  if (stages.layers.size() != stages.heads.size())
    config.fail("depths of ", stages.heads.size(), " stages, as num_attention_heads has, got ",
                text::write(as_list(stages.layers)));
  std::vector<int64_t> sides{grid.height};
  while (sides.size() < stages.heads.size()) sides.push_back((sides.back() + 1) / 2);
  reading.add(
      with_scheme(described("levit",
                            {{"heads_per_stage", as_list(stages.heads)},
                             {"layers_per_stage", as_list(stages.layers)},
                             {"sides_per_stage", as_list(sides)},
                             {"note", "the layers that shrink the map have their own biases"},
                             {"weight", "attention_biases"}},
                            "offsets without their signs"),
                  WindowBias{.heads = stages.heads[0],
                             .height = sides[0],
                             .width = sides[0],
                             .table = WindowTable::levit}));
  if (sides.back() == sides[0]) return tell_stages(reading, stages);
  std::string told("stages have ");
  told.append(text::write(as_list(stages.heads))).append(" heads and maps of ");
  told.append(text::write(as_list(sides))).append(" patches a side: the scheme given here is ");
  reading.trap(
      told.append("the first stage's, the others differ in `heads`, `height` and `width`"));
}

constexpr PatchRow swin_patches(
    int64_t one_more, std::string_view weight =
                          "encoder.layers.S.blocks.B.attention.self.relative_position_bias_table") {
  return {.weight = weight, .prefix = one_more};
}

}  // namespace

std::span<const ModelRow> window_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "swin",
       .where = "vision",
       .patches = swin_patches(
           0, "swin.encoder.layers.S.blocks.B.attention.self.relative_position_bias_table"),
       .read = read_swin},
      {.types = "donut-swin nougat-swin",
       .where = "vision",
       .patches = swin_patches(0),
       .read = read_swin},
      {.types = "maskformer-swin",
       .where = "vision",
       .patches = swin_patches(1),
       .read = read_swin},
      {.types = "clap_audio_model",
       .where = "audio",
       .patches = {.weight = "audio_model.audio_encoder.layers.S.blocks.B.attention.self."
                             "relative_position_bias_table"},
       .read = read_clap_audio},
      {.types = "swinv2", .where = "vision", .patches = swin_patches(0), .read = read_swinv2<true>},
      {.types = "swin2sr", .where = "vision", .patches = {.prefix = 1}, .read = read_swinv2<false>},
      {.types = "beit", .where = "vision", .patches = {.weight = "beit."}, .read = read_beit},
      {.types = "data2vec-vision",
       .where = "vision",
       .patches = {.weight = "data2vec_vision."},
       .read = read_beit},
      {.types = "levit", .where = "vision", .read = read_levit},
  };
  return rows;
}

}  // namespace posenc::model
