// show.cc: posenc show.
#include <fmt/core.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/schemes/notes.h"
#include "cli/show/bias_pictures.h"
#include "cli/show/patch_picture.h"
#include "cli/show/picture_output.h"
#include "cli/show/variant_pictures.h"
#include "facts.h"

namespace posenc::cli {
namespace {

struct ShowOptions : RowsOptions {
  std::optional<Kind> kind{};
  std::string out{}, size{};
  std::vector<double> columns{};
  std::string compare{};
  std::optional<int64_t> head{};
  std::string grid{};
  std::vector<double> patch{};

  static Fields fields() {
    using S = ShowOptions;
    return base_fields<S, RowsOptions>(
        {{"kind", &S::kind,
          "what to draw (default: the first kind listed for the scheme's family)"},
         {"out", &S::out, "a .png or .svg file instead of the terminal"},
         {"size", &S::size, "WIDTHxHEIGHT, in pixels of a file or characters of the terminal"},
         Field("columns", &S::columns, "which columns to draw as waves").of({"absolute", "rotary"}),
         Field("compare", &S::compare,
               "draw several schemes in one picture: 'none; linear factor=4; yarn "
               "factor=4'")
             .of({"absolute", "rotary"}),
         Field("head", &S::head, "head of the heat map (default: the first)").of({"biases"}),
         Field("grid", &S::grid, "HEIGHTxWIDTH of an image in patches (default: 14x14)")
             .of({"absolute"}),
         Field("patch", &S::patch, "ROW,COLUMN of the patch (default: the middle)")
             .of({"absolute"})});
  }
};

// Throws a usage error for an option that the kind of picture does not read.
void check_kind(const ShowOptions& options, Kind kind) {
  const auto expect = [&](bool given, std::string_view name, bool read, std::string_view kinds) {
    if (given && !read)
      refuse("expected the kind ", kinds, " with --", name, ", got ", enum_name(kind));
  };
  const bool of_pairs = kind == Kind::wavelengths || kind == Kind::rules;
  expect(!options.positions.empty(), "positions", !of_pairs, "heatmap, waves, similarity or decay");
  expect(!options.columns.empty(), "columns", kind == Kind::waves, "waves");
  expect(options.head.has_value(), "head", kind == Kind::heatmap, "heatmap");
  expect(!options.grid.empty(), "grid", kind == Kind::patches, "patches");
  expect(!options.patch.empty(), "patch", kind == Kind::patches, "patches");
  const bool numbers = kind != Kind::buckets;
  expect(!options.weights.empty(), "weights", numbers, "heatmap or curves");
  expect(options.seed.has_value(), "seed", numbers, "heatmap or curves");
}

// Waves look better between the positions too, where there is something between them. Where a rule
// was told how long the text is, positions end with it.
std::string usual_run(const Ready& ready, Kind kind) {
  if (kind == Kind::waves) return facts_of(ready.plan).is_table ? "0:64" : "0:64:0.25";
  int64_t end = kind == Kind::decay && !facts_of(ready.plan).is_table ? 2048 : 128;
  if (asks_for_length(ready.scheme)) end = std::min(end, ready.length);
  return fmt::format("0:{}", end);
}

// The same on several axes: along their diagonal.
std::string usual_diagonal(const Ready& ready) {
  if (std::holds_alternative<GridSinusoidal>(ready.scheme)) return "0:64";
  return facts_of(ready.plan).is_table ? "0:14" : "0:1:0.005";
}

draw::Plot make_bias_plot(const Call& call, const ShowOptions& options) {
  const ReadyBias ready = make_ready_bias(read_scheme(call), options);
  const Kind kind = options.kind.value_or(usual_kind(ready));
  check_kind(options, kind);
  auto plot = draw_bias(ready, kind, options.positions, options.head.value_or(0));
  if (kind != Kind::buckets) note(initial_weights_text(ready.scheme, options));
  return plot;
}

// Throws a usage error where the variants cannot be drawn over each other, or not as this kind.
void check_variants(const std::vector<Variant>& variants, const ShowOptions& options, Kind kind) {
  const bool rotary = as_family<Rotary>(variants[0].ready.scheme).has_value();
  if (kind == Kind::rules && !rotary)
    refuse("expected a rotary scheme for a picture of rules, got ",
           alternative_name(variants[0].ready.scheme));
  const bool lines = kind == Kind::wavelengths || kind == Kind::decay || kind == Kind::rules ||
                     kind == Kind::waves;
  if (!options.compare.empty() && !lines)
    refuse("expected --compare with the kind wavelengths, waves, decay or rules, got ",
           enum_name(kind));
  for (const Variant& variant : variants)
    if (variant.ready.plan.axes() != variants[0].ready.plan.axes() && kind != Kind::wavelengths)
      refuse("expected schemes of as many axes in --compare, got ", variants[0].ready.plan.axes(),
             " and ", variant.ready.plan.axes());
  const bool asked = std::any_of(variants.begin(), variants.end(),
                                 [](const Variant& v) { return asks_for_length(v.ready.scheme); });
  if (!asked && kind != Kind::wavelengths) check_length_is_read(variants[0].ready.scheme, options);
}

draw::Plot draw_variants(const std::vector<Variant>& variants, const ShowOptions& options,
                         Kind kind) {
  if (kind == Kind::wavelengths) return draw_wavelengths(variants);
  if (kind == Kind::rules) return draw_rules(variants);
  const Ready& ready = variants[0].ready;
  if (kind == Kind::patches)
    return draw_patches(ready, options, options.grid.empty() ? "14x14" : options.grid,
                        options.patch);
  const auto positions =
      read_positions(ready, options, usual_run(ready, kind), usual_diagonal(ready));
  if (kind == Kind::decay) return draw_decay(variants, positions);
  if (variants.size() > 1) return draw_waves(variants, positions, options.columns);
  return make_picture(ready, positions, kind, options.columns);
}

draw::Plot make_plot(const Call& call, const ShowOptions& options) {
  if (acts_on_scores(call.words[0])) return make_bias_plot(call, options);
  const Kind kind = options.kind.value_or(Kind::heatmap);
  check_kind(options, kind);
  const auto variants = read_variants(with_any_layout(call), options, options.compare);
  check_variants(variants, options, kind);
  auto plot = draw_variants(variants, options, kind);
  std::string said;
  for (const Variant& variant : variants)
    if (const auto text = initial_weights_text(variant.ready.scheme, options); text != said)
      note(said = text);
  return plot;
}

void run_show(const Call& call) {
  const auto options = read_options<ShowOptions>(call);
  check_picture(options.out);
  const Progress progress("drawing");
  const auto plot = make_plot(call, options);
  const bool square = options.kind == Kind::similarity || options.kind == Kind::patches ||
                      (acts_on_scores(call.words[0]) && plot.index() == 0);
  write_picture(plot, options.out, options.size, {square ? 760 : 1000, 640});
}

}  // namespace

Command show_command() {
  return {
      "show",
      "a picture of an encoding, in the terminal or as a PNG or SVG file",
      takes_scheme,
      "heatmap      the table itself: a row for each position, a column for each feature\n"
      "waves        some columns as functions of the position: sines, fast and slow\n"
      "similarity   cosine similarity of rows: near positions are similar, and only the\n"
      "             distance matters\n"
      "patches      the same for one --patch of an image of --grid patches: a map of the image\n"
      "wavelengths  how many positions each pair needs for a full turn\n"
      "decay        by distance, the similarity of rows to the first; for a rotary scheme, the\n"
      "             score of a query and a key of ones\n"
      "rules        rotary: the factor of a length rule on the frequency of each pair\n\n"
      "For a bias of scores (--positions are distances, or positions of queries and keys):\n"
      "curves       the bias of each head, by distance\n"
      "heatmap      the bias of one --head for every query and key\n"
      "buckets      which row of the learned table a distance, or a pair of tokens, uses\n\n"
      "wavelengths, waves, decay and rules can draw several variants with --compare. Variants are\n"
      "separated by ';' and list what differs from the scheme: name=value sets an option. A "
      "single\n"
      "word is a length rule for a rotary scheme, whose option names may be shortened\n"
      "(original=4096); for an absolute scheme it is a preset, or another absolute scheme.\n",
      options_of(ShowOptions{}),
      {"posenc show sinusoidal --dim 64",
       "posenc show sinusoidal --kind waves --dim 64 --positions 0:60:0.25",
       "posenc show sinusoidal --kind similarity --out similarity.png",
       "posenc show sinusoidal --preset tensor2tensor --kind wavelengths --out wavelengths.svg",
       "posenc show rope --layout half --kind rules --compare 'linear factor=4; ntk factor=4; "
       "yarn factor=4'",
       "posenc show rope --preset llama --kind decay --compare 'base=10000; base=500000'",
       "posenc show sinusoidal --kind wavelengths --compare 'paper; tensor2tensor; base=500'",
       "posenc show sinusoidal --kind decay --compare 'paper; per-column; time2vec dim=64'",
       "posenc show mae --kind patches --grid 14x14 --patch 5,8", "posenc show alibi",
       "posenc show alibi --kind heatmap --size 60x30",
       "posenc show t5 --kind buckets --out buckets.png",
       "posenc show window --kind heatmap --head 1",
       "posenc show nerf --coordinates 1 --kind waves --positions 0:1:0.001 --columns 1,3,5"},
      run_show};
}

}  // namespace posenc::cli
