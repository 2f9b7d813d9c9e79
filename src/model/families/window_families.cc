// window_families.cc: picture encoders with a bias for each offset inside a window.
#include <algorithm>

#include "model/families/parts.h"

namespace posenc::model {
namespace {

const std::vector<int64_t> swin_heads{3, 6, 12, 24};

struct Stages {
  int64_t window;
  std::vector<int64_t> heads, layers;
};

Stages stages_of(const Config& config, int64_t window, const std::vector<int64_t>& heads,
                 const std::vector<int64_t>& layers = {2, 2, 6, 2}) {
  Stages out{size_of(config, "window_size", window),
             sizes_of(config, "num_heads num_attention_heads", heads),
             sizes_of(config, "depths", layers)};
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

// Sizes of the class.
struct Picture {
  int64_t side = 224, patch = 4, width = 96;
  bool one_more = false;  // its table has a row more than there are patches
};

Sides patches_of(const Reading& reading, const Picture& of) {
  return grid_of(reading.config, sides_of(reading.config, "image_size", {of.side, of.side}),
                 sides_of(reading.config, "patch_size", {of.patch, of.patch}));
}

// A table beside the biases, where the key asks for one.
void add_absolute(const Reading& reading, const Picture& of) {
  const Config& config = reading.config;
  if (!config.flag({"use_absolute_embeddings"}).value_or(false)) return;
  reading.add(patch_table(patches_of(reading, of), of.one_more ? 1 : 0,
                          size_of(config, "embed_dim", of.width),
                          "embeddings.position_embeddings"));
  if (of.one_more)
    reading.trap(
        "the table has a row more than there are patches: this model's code cannot add it");
}

struct SwinRow {
  std::string_view types, where, weight;
  int64_t window;
  bool audio;
  Picture of{};
};
constexpr std::string_view swin_table =
    "encoder.layers.S.blocks.B.attention.self.relative_position_bias_table";
constexpr SwinRow swins[] = {
    {"swin", "vision", "swin.encoder.layers.S.blocks.B.attention.self.relative_position_bias_table",
     7, false},
    {"donut-swin nougat-swin", "vision", swin_table, 7, false},
    {"maskformer-swin", "vision", swin_table, 7, false, {.one_more = true}},
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
               {"layers_per_stage", as_list(stages.layers)},
               {"weight", std::string(row.weight)}};
  if (!row.audio)
    out.facts.emplace_back("absolute", config.flag({"use_absolute_embeddings"}).value_or(false));
  out.positions = "offsets inside a window, row by row";
  reading.add(with_scheme(
      out, WindowBias{.heads = stages.heads[0], .height = stages.window, .width = stages.window}));
  tell_stages(reading, stages);
  if (!row.audio) add_absolute(reading, row.of);
}

// A network of the offset. In the last stages a window is no larger than what is left of the
// picture.
void add_swinv2(const Reading& outer, bool shrinks, const Picture& of) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Stages stages = shrinks ? stages_of(config, 7, swin_heads)
                                : stages_of(config, 8, {6, 6, 6, 6, 6, 6}, {6, 6, 6, 6, 6, 6});
  std::vector<int64_t> trained(stages.heads.size(), 0);
  if (config.has("pretrained_window_sizes"))
    trained = sizes_of(config, "pretrained_window_sizes", trained);
  if (trained.size() < stages.heads.size())
    config.refuse("pretrained_window_sizes", "a size for every stage",
                  *config.json().find("pretrained_window_sizes"));
  const int64_t side =
      patches_of(reading, of).height;  // its code takes the window's height for both
  std::vector<int64_t> windows;
  for (size_t stage = 0; stage < stages.heads.size(); ++stage)
    windows.push_back(std::min(stages.window, std::max<int64_t>(side >> (shrinks ? stage : 0), 1)));
  Component out{"", "swinv2", {}};
  out.facts = {{"window", stages.window},
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
                "logit_scale"}};
  out.positions = "offsets inside a window, row by row";
  ContinuousBias bias{.heads = stages.heads[0], .height = windows[0], .width = windows[0]};
  if (trained[0] > 0) bias.pretrained_height = bias.pretrained_width = trained[0];
  reading.add(with_scheme(out, bias));
  tell_stages(reading, stages);
  if (windows.back() < stages.window)
    reading.trap("the last stage's picture has " + text::write(windows.back()) +
                 " patches a side: its windows are that small, not window_size");
  reading.trap("scores are cosines times a learned factor; the bias is added after it");
  add_absolute(reading, of);
}

void read_swinv2(const Reading& outer) { add_swinv2(outer, true, {}); }
void read_swin2sr(const Reading& outer) {
  add_swinv2(outer, false, {.side = 64, .patch = 1, .width = 180, .one_more = true});
}

// One window as large as the picture, with a class token.
void add_beit(const Reading& outer, const std::string& model) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_size", {16, 16}));
  const auto says = [&](const char* key) { return config.flag({key}).value_or(false); };
  const bool own = says("use_relative_position_bias");
  const bool shared = says("use_shared_relative_position_bias");
  const bool absolute = says("use_absolute_position_embeddings");
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
  if (!absolute && !own && !shared)
    reading.add({"", "none", {{"note", "no key asks for a table or a bias"}}});
}

void read_beit(const Reading& outer) { add_beit(outer, "beit."); }
void read_data2vec(const Reading& outer) { add_beit(outer, "data2vec_vision."); }

// The whole picture is a window; offsets have no signs, and each stage halves the sides.
void read_levit(const Reading& outer) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Sides grid = grid_of(config, sides_of(config, "image_size", {224, 224}),
                             sides_of(config, "patch_size", {16, 16}));
  if (grid.height != grid.width)
    fail(ErrorKind::data, "read", "expected ", config.path(),
         "image_size of as many patches in height as in width, got ", grid.height, " x ",
         grid.width);
  const Stages stages{grid.height, sizes_of(config, "num_attention_heads", {4, 8, 12}),
                      sizes_of(config, "depths", {4, 4, 4})};
  if (stages.layers.size() != stages.heads.size())
    fail(ErrorKind::data, "read", "expected ", config.path(), "depths of ", stages.heads.size(),
         " stages, as num_attention_heads has, got ", text::write(as_list(stages.layers)));
  std::vector<int64_t> sides{grid.height};
  while (sides.size() < stages.heads.size()) sides.push_back((sides.back() + 1) / 2);
  Component out{"", "levit", {}};
  out.facts = {{"heads_per_stage", as_list(stages.heads)},
               {"layers_per_stage", as_list(stages.layers)},
               {"sides_per_stage", as_list(sides)},
               {"note", "the layers that shrink the map have biases of their own"},
               {"weight", "attention_biases"}};
  out.positions = "offsets without their signs";
  reading.add(with_scheme(out, WindowBias{.heads = stages.heads[0],
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

}  // namespace

std::vector<Family> window_list() {
  return joined(families_of(swins, read_swin),
                std::vector<Family>{{"swinv2", read_swinv2},
                                    {"swin2sr", read_swin2sr},
                                    {"beit", read_beit},
                                    {"data2vec-vision", read_data2vec},
                                    {"levit", read_levit}});
}

}  // namespace posenc::model
