// show.cc: posenc show.
#include <algorithm>

#include "console.h"
#include "files/output.h"
#include "pictures.h"

namespace posenc::cli {
namespace {

struct ShowOptions : RowsOptions {
  Kind kind = Kind::heatmap;
  std::string out{};
  std::optional<int64_t> width{}, height{};
  std::vector<double> columns{};

  static constexpr auto fields() {
    using S = ShowOptions;
    return std::tuple_cat(
        RowsOptions::fields(),
        std::tuple{Field{"kind", &S::kind, "what to draw"},
                   Field{"out", &S::out, "a .png or .svg file instead of the terminal"},
                   Field{"width", &S::width, "pixels of a file, characters of the terminal"},
                   Field{"height", &S::height, "the same downwards"},
                   Field{"columns", &S::columns, "which columns to draw as waves"}});
  }
};

int size(const std::optional<int64_t>& wanted, int otherwise) {
  return wanted ? static_cast<int>(std::clamp<int64_t>(*wanted, -1, 1 << 20)) : otherwise;
}

// Waves look better between the positions too, where there is something between them.
std::string_view usual_run(const Ready& ready, Kind kind) {
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

void run_show(const Call& call) {
  const auto options = read_options<ShowOptions>(call);
  const bool png = options.out.ends_with(".png"), svg = options.out.ends_with(".svg");
  if (!options.out.empty() && !png && !svg)
    refuse("expected --out with the extension .png or .svg, got ", options.out);
  const Ready ready = make_ready(read_scheme(call), options);
  const auto positions =
      read_positions(ready, options, usual_run(ready, options.kind), "0:1:0.005");
  const auto plot = make_picture(ready, positions, options.kind, options.columns);
  if (options.out.empty()) return draw_in_terminal(plot, options);
  const bool square = options.kind == Kind::similarity;
  const int width = size(options.width, square ? 760 : 1000), height = size(options.height, 640);
  atomic_write(options.out, typed([&] {
                 return png ? to_png(plot, width, height) : to_svg(plot, width, height);
               }));
}

}  // namespace

Command show_command() {
  return {"show",
          "a picture of an encoding, in the terminal or as a PNG or SVG file",
          "SCHEME",
          "heatmap      the table itself: a line for each position, a stripe for each column\n"
          "waves        some columns along the positions: sines, fast and slow\n"
          "similarity   products of rows: near positions are alike, and only the distance counts\n"
          "wavelengths  how many positions a pair needs for a full turn\n",
          options_of(ShowOptions{}),
          {"posenc show sinusoidal --dim 64",
           "posenc show sinusoidal --kind waves --dim 64 --positions 0:60:0.25",
           "posenc show sinusoidal --kind similarity --out similarity.png",
           "posenc show sinusoidal --preset tensor2tensor --kind wavelengths --out wavelengths.svg",
           "posenc show nerf --coordinates 1 --kind waves --positions 0:1:0.001 --columns 1,3,5"},
          run_show};
}

}  // namespace posenc::cli
