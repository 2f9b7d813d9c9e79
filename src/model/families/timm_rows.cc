// timm_rows.cc: networks of timm, of which a configuration has little more than the name.
#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

struct Name {
  std::string whole;
  std::vector<std::string> words;  // between underlines, without what training comes after a dot

  bool has(std::string_view word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
  // The number after a word: 16 of "patch16"; with "" a word that is a number alone.
  std::optional<int64_t> number(std::string_view before) const {
    for (const std::string& word : words) {
      if (!word.starts_with(before)) continue;
      int64_t out = 0;
      const char *begin = word.data() + before.size(), *end = word.data() + word.size();
      const auto [stop, error] = std::from_chars(begin, end, out);
      if (error == std::errc() && stop == end && out > 0 && out < 65536) return out;
    }
    return {};
  }
};

Name name_of(const Config& config) {
  Name out{config.text({"architecture", "backbone"}).value_or("resnet50"), {""}};
  for (const char c : out.whole.substr(0, out.whole.find('.')))
    if (c == '_')
      out.words.emplace_back();
    else
      out.words.back() += c;
  return out;
}

bool is_plain(const Name& name) {
  static constexpr std::string_view starts[] = {
      "resnet", "resnext",  "regnet", "convnext", "efficientnet", "mobilenet",
      "hgnet",  "densenet", "vgg",    "repvit",   "fastvit",      "tf_efficientnet"};
  return std::any_of(std::begin(starts), std::end(starts),
                     [&](std::string_view start) { return name.whole.starts_with(start); });
}

std::optional<int64_t> vit_width(const Config& config, const Name& name) {
  static constexpr std::pair<std::string_view, int64_t> widths[] = {
      {"tiny", 192}, {"small", 384},  {"medium", 512}, {"betwixt", 640},
      {"base", 768}, {"large", 1024}, {"huge", 1280},  {"so400m", 1152}};
  if (config.has("num_features")) return size_of(config, "num_features", 0);
  for (const auto& [size, width] : widths)
    if (name.has(size)) return width;
  if (name.has("core") && name.has("gigantic")) return 1536;
  return {};
}

// What names of ViTs consist of where they say all: others have registers, or no rows for the
// tokens before the patches.
constexpr std::string_view vit_words =
    "vit deit tiny small medium betwixt base large huge giant gigantic so400m clip siglip "
    "quickgelu dinov2 distilled pe core";

bool is_vit_word(const std::string& word) {
  return is_among(vit_words, word) || word.starts_with("patch") ||
         word.find_first_not_of("0123456789") == word.npos;
}

bool is_vit(const Name& name) {
  return is_among("vit deit", name.words[0]) && name.number("patch") &&
         std::all_of(name.words.begin(), name.words.end(), is_vit_word);
}

bool read_vit(const Reading& reading, const Name& name) {
  const auto width = is_vit(name) ? vit_width(reading.config, name) : std::nullopt;
  const int64_t side = name.number("").value_or(name.has("dinov2") ? 518 : 0);
  if (!width || side == 0) return false;
  const auto arguments = reading.config.inside({"model_args"});
  const Sides picture = arguments && arguments->has("img_size")
                            ? sides_of(*arguments, "img_size", {side, side})
                            : Sides{side, side};
  const int64_t patch = *name.number("patch");
  const bool no_class = name.has("siglip") || (name.has("gigantic") && name.has("core"));
  const Sides grid = grid_of(reading.config, picture, {patch, patch});
  reading.add(patch_table(grid, no_class ? 0 : name.has("distilled") ? 2 : 1, *width, "pos_embed"));
  if (!name.has("core")) return true;
  const int64_t head = name.has("gigantic") ? 96 : 64;
  Component out{"",
                "rope-2d",
                {{"layout", "interleaved"},
                 {"head_dim", head},
                 {"base", 10000.0},
                 {"per_axis_freqs", head / 4},
                 {"coords", "x+1,y+1; a class token is not rotated"}}};
  out.positions = "two coordinates: column and row, to which 1 is added";
  reading.add(std::move(out));
  return true;
}

bool read_swin_name(const Reading& reading, const Name& name) {
  const auto window = name.number("window");
  if (name.words[0] != "swin" || !window) return false;
  std::vector<int64_t> heads{3, 6, 12, 24}, layers{2, 2, 18, 2};
  if (name.has("base")) heads = {4, 8, 16, 32};
  if (name.has("large")) heads = {6, 12, 24, 48};
  if (name.has("tiny")) layers = {2, 2, 6, 2};
  reading.add(
      with_scheme(described("swin",
                            {{"window", *window},
                             {"table_rows", (2 * *window - 1) * (2 * *window - 1)},
                             {"heads_per_stage", as_list(heads)},
                             {"layers_per_stage", as_list(layers)},
                             {"weight", "layers.S.blocks.B.attn.relative_position_bias_table"}},
                            "offsets inside a window, row by row"),
                  WindowBias{.heads = heads[0], .height = *window, .width = *window}));
  reading.trap("stages have " + text::write(as_list(heads)) +
               " heads: the scheme given here is the first stage's, the others differ in `heads`");
  return true;
}

void read_timm(const Reading& outer, const ModelRow&) {
  const Reading reading = named(outer, "vision");
  const Config& config = reading.config;
  const Name name = name_of(config);
  if (is_plain(name))
    return reading.add(
        {"", "none", {{"architecture", name.whole}, {"note", "convolutions carry position"}}});
  if (read_vit(reading, name) || read_swin_name(reading, name)) return;
  if (outer.where == "text")
    fail(ErrorKind::data, "read", "not known: ", files::in_quotes(name.whole),
         " is a network of timm, and no rule covers it");
  config.note(
      NoteKind::ignored,
      "architecture " + files::in_quotes(name.whole) + ": no rule covers this network of timm",
      reading.where);
  reading.add({"", "unknown", {{"architecture", name.whole}}});
}

}  // namespace

std::span<const ModelRow> timm_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "timm_wrapper timm_backbone", .read = read_timm},
  };
  return rows;
}

}  // namespace posenc::model
