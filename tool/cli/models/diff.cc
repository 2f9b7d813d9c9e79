// diff.cc: posenc diff.
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/json.h"
#include "cli/models/diff_print.h"
#include "cli/models/models.h"
#include "cli/options.h"
#include "cli/schemes/notes.h"
#include "draw/plot.h"
#include "model/output.h"

namespace posenc::cli {
namespace {

using model::Compared;
using model::Comparison;
using model::Model;
using model::Phases;

struct DiffOptions {
  std::vector<double> lengths{};
  std::string out{};
  bool picture = false, json = false;

  static Fields fields() {
    using S = DiffOptions;
    return {{"lengths", &S::lengths,
             "text lengths, in tokens, at which to compare phases (default: those of the models)"},
            {"picture", &S::picture,
             "draw the frequencies of the second model over those of the first"},
            {"out", &S::out, "the same picture as a .png or .svg file"},
            {"json", &S::json, "every difference as JSON"}};
  }
};

std::vector<int64_t> asked_lengths(const DiffOptions& options) {
  std::vector<int64_t> out;
  for (const double length : options.lengths) {
    if (!(length >= 1 && length <= 2147483648.0) || length != std::floor(length))
      refuse("expected --lengths of whole numbers from 1 to 2^31, got ", length);
    out.push_back(static_cast<int64_t>(length));
  }
  return out;
}

draw::Lines picture(const Comparison& all) {
  draw::Lines out{.title = "frequencies of the second model over those of the first",
                  .x = {"pair"},
                  .y = {.label = "ratio", .log = true}};
  out.dots = true;
  for (const Compared& c : all.both) {
    if (c.phases.empty()) continue;
    const Phases& p = c.phases.back();
    draw::Curve curve{c.where()};
    for (size_t k = 0; k < p.first.frequencies.size(); ++k)
      if (p.first.frequencies[k] != 0 && p.second.frequencies[k] != 0) {
        curve.x.push_back(static_cast<double>(k));
        curve.y.push_back(p.second.frequencies[k] / p.first.frequencies[k]);
      }
    out.curves.push_back(std::move(curve));
  }
  if (out.curves.empty())
    fail(ErrorKind::data, "diff",
         "expected rotary parts with the same number of pairs for a picture, got none");
  return out;
}

void draw_picture(const Comparison& all, const DiffOptions& options) {
  const draw::Lines lines = picture(all);
  if (options.picture) {
    const Size room = console_size();
    print("\n" + draw::terminal_lines(lines, std::min(room.columns, 120),
                                      std::clamp(room.rows - 1, 10, 30), console_colour()));
  }
  if (!options.out.empty())
    atomic_write(options.out, options.out.ends_with(".png") ? draw::to_png(lines, 1000, 640)
                                                            : draw::to_svg(lines, 1000, 640));
}

// Keys that came to nothing in the second, of which the first does not say the same.
std::vector<model::Note> notes_of_second(const Model& first, const Model& second) {
  std::set<std::string_view> known;
  for (const model::Note& n : first.notes) known.insert(n.text);
  std::vector<model::Note> out;
  for (const model::Note& news : second.notes) {
    const bool wrong =
        news.kind == model::NoteKind::conflict || news.kind == model::NoteKind::ignored;
    if (wrong && !known.contains(news.text)) out.push_back(news);
  }
  return out;
}

void run_diff(const Call& call) {
  const auto options = read_options<DiffOptions>(call);
  if (!options.out.empty() && !options.out.ends_with(".png") && !options.out.ends_with(".svg"))
    refuse("expected --out with the extension .png or .svg, got ", options.out);
  if (options.json && options.picture) refuse("expected --json or --picture, got both");
  const Model first = read_model(call.words[0]),
              second = read_model_beside(call.words[1], call.words[0]);
  const Comparison all = model::diff(first, second, asked_lengths(options));
  print(options.json ? dump(diff_tree(all, first, second, model::FactsAs::text))
                     : comparison_text(all, first, second));
  for (const model::Note& news : notes_of_second(first, second)) note(news.text);
  if (options.picture || !options.out.empty()) draw_picture(all, options);
}

}  // namespace

Command diff_command() {
  return {"diff",
          "compare the positional encodings of two models",
          {"MODEL MODEL", 2, 2},
          "Each MODEL is what posenc explain takes. The second may also be a few keys in JSON,\n"
          "such as '{\"rope_theta\": 1000000}': the first model with these keys replaced.\n\n"
          "Parts with the same name are compared, and \"text\" with each group of layers if the\n"
          "other model has several. The facts come first, then, for rotary parts, the largest\n"
          "phase difference of any pair at the end of texts of several lengths. A difference of\n"
          "a radian is an error; a thousandth is rounding.\n",
          options_of(DiffOptions{}),
          {R"(posenc diff '{"model_type": "llama"}' '{"rope_theta": 500000}' --lengths 4096,8192)"},
          run_diff};
}

}  // namespace posenc::cli
