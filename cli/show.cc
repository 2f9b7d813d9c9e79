// show.cc: posenc show.
#include <algorithm>

#include "bias_pictures.h"
#include "console.h"
#include "files/output.h"
#include "rotary_pictures.h"

namespace posenc::cli {
namespace {

struct ShowOptions : RowsOptions {
  std::optional<Kind> kind{};
  std::string out{};
  std::optional<int64_t> width{}, height{};
  std::vector<double> columns{};
  std::string compare{};
  int64_t head = 0;

  static constexpr auto fields() {
    using S = ShowOptions;
    return std::tuple_cat(
        RowsOptions::fields(),
        std::tuple{Field{"kind", &S::kind,
                         "what to draw; the first that is listed for the scheme's family"},
                   Field{"out", &S::out, "a .png or .svg file instead of the terminal"},
                   Field{"width", &S::width, "pixels of a file, characters of the terminal"},
                   Field{"height", &S::height, "the same downwards"},
                   Field{"columns", &S::columns, "which columns to draw as waves"},
                   Field{"compare", &S::compare,
                         "rotary schemes over each other: 'none; linear factor=4; yarn factor=4'"},
                   Field{"head", &S::head, "biases: whose heat map"}});
  }
};

int size(const std::optional<int64_t>& wanted, int otherwise) {
  return wanted ? static_cast<int>(std::clamp<int64_t>(*wanted, -1, 1 << 20)) : otherwise;
}

// Waves look better between the positions too, where there is something between them.
std::string_view usual_run(const Ready& ready, Kind kind) {
  if (kind == Kind::decay) return "0:2048";
  if (kind != Kind::waves) return "0:128";
  return is_table(ready.scheme) ? "0:64" : "0:64:0.25";
}

void draw_in_terminal(const draw::Plot& plot, const ShowOptions& options) {
  const Size room = console_size();
  const int width = size(options.width, std::min(room.columns, 120));
  const int height = size(options.height, std::clamp(room.rows - 1, 10, 36));
  const auto colour = console_colour();
  const auto* map = std::get_if<draw::Heatmap>(&plot);
  print(typed([&] {
    return map ? terminal_heatmap(*map, width, height, colour)
               : terminal_lines(std::get<draw::Lines>(plot), width, height, colour);
  }));
}

draw::Plot make_bias_plot(const Call& call, const ShowOptions& options) {
  if (!options.compare.empty() || !options.columns.empty())
    refuse("expected no --compare and no --columns beside a bias of scores, got ",
           options.compare.empty() ? "--columns" : "--compare");
  const ReadyBias ready = make_ready_bias(read_scheme(call), options);
  return draw_bias(ready, options.kind.value_or(usual_kind(ready)), options.positions,
                   options.head);
}

draw::Plot make_plot(const Call& call, const ShowOptions& options) {
  if (acts_on_scores(call.words[0])) return make_bias_plot(call, options);
  const Kind kind = options.kind.value_or(Kind::heatmap);
  const bool curves = kind >= Kind::wavelengths && kind <= Kind::rules;
  if (!options.compare.empty() && !curves)
    refuse("expected --compare with the kind wavelengths, decay or rules, got ", enum_name(kind));
  const bool rotary = usual_info(call.words[0]).family == "rotary";
  if (!options.compare.empty() && !rotary)
    refuse("expected a rotary scheme for --compare, got ", call.words[0]);
  const auto variants = read_variants(call, options, options.compare);
  const Ready& ready = variants[0].ready;
  const auto positions = read_positions(ready, options, usual_run(ready, kind), "0:1:0.005");
  if (!rotary || !curves) return make_picture(ready, positions, kind, options.columns);
  if (kind == Kind::decay) return draw_decay(variants, positions);
  return kind == Kind::rules ? draw_rules(variants) : draw_wavelengths(variants);
}

void run_show(const Call& call) {
  const auto options = read_options<ShowOptions>(call);
  const bool png = options.out.ends_with(".png"), svg = options.out.ends_with(".svg");
  if (!options.out.empty() && !png && !svg)
    refuse("expected --out with the extension .png or .svg, got ", options.out);
  const auto plot = make_plot(call, options);
  if (options.out.empty()) return draw_in_terminal(plot, options);
  const bool square =
      options.kind == Kind::similarity || (acts_on_scores(call.words[0]) && plot.index() == 0);
  const int width = size(options.width, square ? 760 : 1000), height = size(options.height, 640);
  atomic_write(options.out, typed([&] {
                 return png ? to_png(plot, width, height) : to_svg(plot, width, height);
               }));
}

}  // namespace

Command show_command() {
  return {
      "show",
      "a picture of an encoding, in the terminal or as a PNG or SVG file",
      "SCHEME",
      "heatmap      the table itself: a line for each position, a stripe for each column\n"
      "waves        some columns along the positions: sines, fast and slow\n"
      "similarity   products of rows: near positions are alike, and only the distance counts\n"
      "wavelengths  how many positions a pair needs for a full turn\n"
      "decay        rotary: the score of a query and a key of ones, by their distance\n"
      "rules        rotary: what a length rule does to the frequency of each pair\n\n"
      "Of a bias of scores, --positions being distances, or those of queries and keys:\n"
      "curves       what each head adds, along the distance\n"
      "heatmap      the same for every query and key, of one --head\n"
      "buckets      which row of the learned table a distance, or a pair of tokens, reads\n\n"
      "wavelengths, decay and rules draw rotary schemes over each other with --compare. Between "
      "';'\n"
      "stands what differs from the scheme: a word alone is a length rule, name=value an option\n"
      "of that rule or of the scheme. Names of a rule's options may be cut short: original=4096.\n",
      options_of(ShowOptions{}),
      {"posenc show sinusoidal --dim 64",
       "posenc show sinusoidal --kind waves --dim 64 --positions 0:60:0.25",
       "posenc show sinusoidal --kind similarity --out similarity.png",
       "posenc show sinusoidal --preset tensor2tensor --kind wavelengths --out wavelengths.svg",
       "posenc show rope --layout half --kind rules --compare 'linear factor=4; ntk factor=4; "
       "yarn factor=4'",
       "posenc show rope --preset llama --kind decay --compare 'base=10000; base=500000'",
       "posenc show alibi", "posenc show t5 --kind buckets --out buckets.png",
       "posenc show window --kind heatmap --head 1",
       "posenc show nerf --coordinates 1 --kind waves --positions 0:1:0.001 --columns 1,3,5"},
      run_show};
}

}  // namespace posenc::cli
