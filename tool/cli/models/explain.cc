// explain.cc: posenc explain.
#include "cli/models/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/json.h"
#include "cli/models/models.h"
#include "cli/options.h"
#include "posenc/model/diff.h"

namespace posenc::cli {
namespace {

using model::Component;
using model::Lengths;
using model::Model;
using model::Note;
using model::Rotation;

struct ExplainOptions {
  std::optional<int64_t> length{};
  std::string as_type{};
  bool frequencies = false, json = false;

  static Fields fields() {
    using S = ExplainOptions;
    return {
        {"length", &S::length,
         "length of the text in tokens, for length rules that need it (default: the model's "
         "maximum)"},
        {"as", &S::as_type,
         "read a config.json that no rule covers by the rule of this model_type, such as llama"},
        {"frequencies", &S::frequencies, "also print the frequency and wavelength of every pair"},
        {"json", &S::json, "everything as JSON"}};
  }
};

std::string value_text(const Value& value) {
  if (const auto* list = std::get_if<std::vector<double>>(&value); list && list->size() > 8) {
    const std::vector<double> start(list->begin(), list->begin() + 4);
    return fmt::format("[{}, ... {} in all]", text::write(start), list->size());
  }
  const std::string out = text::write(value);
  return std::holds_alternative<std::vector<double>>(value) ? "[" + out + "]" : out;
}

// Facts of an object inside stand on its line: "scaling  yarn, factor 4".
std::string facts_text(const Component& part) {
  std::string out, inside, text;
  const auto finish = [&] {
    if (!inside.empty()) out += fact_line(inside, text);
    inside.clear(), text.clear();
  };
  for (const auto& [name, value] : part.facts) {
    const size_t dot = name.find('.');
    const std::string group = dot == name.npos ? "" : name.substr(0, dot);
    if (group.empty() || group != inside) finish();
    if (group.empty()) {
      out += fact_line(name, value_text(value));
      continue;
    }
    inside = group;
    const std::string member = name.substr(dot + 1);
    text += (text.empty() ? "" : ", ") + (member == "type" ? "" : member + " ") + value_text(value);
  }
  finish();
  return out;
}

std::string waves_text(const Rotation& t, std::optional<int64_t> usable) {
  const int64_t rotating = t.rotating();
  std::string out = rotating == std::ssize(t.frequencies)
                        ? fmt::format("{} pairs", rotating)
                        : fmt::format("{} of {} pairs rotate", rotating, t.frequencies.size());
  if (rotating == 0) return out;
  out += fmt::format("; the slowest has a period of {:.6g} positions", t.longest());
  if (!usable) return out;
  const int64_t unfinished = t.unfinished(*usable);
  return out + (unfinished == 0
                    ? fmt::format("; all complete a turn within {}", *usable)
                    : fmt::format("; {} complete no turn within {}", unfinished, *usable));
}

std::string rotation_text(const Rotation& t, const Lengths& lengths) {
  std::string out =
      t.length == 0 ? "" : fact_line("for a text of", fmt::format("{} tokens", t.length));
  out +=
      fact_line("factors", fmt::format("cosines and sines times {:.6g}, softmax scale times {:.6g}",
                                       t.cos_sin_factor, t.softmax_factor));
  return out + fact_line("wavelengths", waves_text(t, lengths.usable));
}

std::string lengths_text(const Lengths& lengths) {
  if (!lengths.usable) return "";
  std::string text = fmt::format("{} tokens", *lengths.usable);
  if (lengths.trained && *lengths.trained != *lengths.usable)
    text += fmt::format(", trained on {}", *lengths.trained);
  return fact_line("length", text);
}

std::string frequencies_text(const Rotation& t) {
  std::string out = fmt::format("  {:>6}  {:>24}  {:>18}\n", "pair", "frequency", "wavelength");
  for (size_t k = 0; k < t.frequencies.size(); ++k)
    out += fmt::format("  {:>6}  {:>24}  {:>18.12g}\n", k, t.frequencies[k],
                       2 * std::numbers::pi / std::abs(t.frequencies[k]));
  return out;
}

std::string component_text(const Component& part, const ExplainOptions& options) {
  std::string out =
      fmt::format("\n{}: {}{}\n", files::printable(part.where), part.scheme,
                  part.is_runnable() || part.scheme == "none" ? "" : " (described only)");
  if (!part.layers.empty()) out += fact_line("layers", model::fact_text(part, "layers"));
  out += facts_text(part);
  if (!part.positions.empty()) out += fact_line("positions", part.positions);
  const Lengths lengths = model::lengths(part);
  out += lengths_text(lengths);
  const auto rotation = model::rotation(part, options.length);
  if (rotation) out += rotation_text(*rotation, lengths);
  if (!part.keys.empty()) out += fact_line("decided by", join(part.keys, ", "));
  if (rotation && options.frequencies) out += frequencies_text(*rotation);
  return out;
}

std::string model_text(const Model& model, const ExplainOptions& options) {
  std::string out =
      files::printable(fmt::format("{}: {}from {}", path_text(model),
                                   model.family.empty() ? "" : model.family + ", ", model.format)) +
      "\n";
  for (const Component& part : model.components) out += component_text(part, options);
  if (!model.notes.empty()) out += "\nnotes\n";
  for (const Note& note : model.notes) out += note_text(note);
  return out;
}

void run_explain(const Call& call) {
  const auto options = read_options<ExplainOptions>(call);
  if (options.length && *options.length < 1)
    refuse("expected a length of at least 1, got ", *options.length);
  const Model model = read_model(call.words[0], options.as_type);
  print(options.json ? dump(explain_tree(model, {options.length, options.frequencies}))
                     : model_text(model, options));
}

}  // namespace

std::string fact_line(std::string_view name, const std::string& text) {
  constexpr size_t room = 60, name_room = 17;  // what is longer has a line of its own
  const std::string shown = files::printable(text);
  if (shown.size() > room && shown.find(' ') == shown.npos)
    return fmt::format("  {}\n    {}\n", name, wrapped(shown, 4));
  if (name.size() > name_room) return fmt::format("  {}\n{:20}{}\n", name, "", wrapped(shown, 20));
  return fmt::format("  {:<18}{}\n", name, wrapped(shown, 20));
}

std::string explanation(const Model& model) { return model_text(model, {}); }

std::string note_text(const Note& note) {
  return fact_line(enum_name(note.kind), (note.where.empty() ? "" : note.where + ": ") + note.text);
}

Command explain_command() {
  return {"explain",
          "show which positional encodings a model has, and what engines get wrong with it",
          takes_one("MODEL"),
          "MODEL is a config.json, a model's folder, Meta's params.json, a .safetensors file or\n"
          "its index, a GGUF file, or a configuration in quotes. Nothing is downloaded, and\n"
          "only headers are read. For each part of the model and each group of layers: the\n"
          "scheme and its parameters, how tokens are counted, the length, and the keys that\n"
          "decided it. The notes are\n\n"
          "trap      what engines and people get wrong with this model\n"
          "conflict  keys or tensors that contradict each other\n"
          "ignored   keys about positions that the model's code does not read\n"
          "assumed   values that are in no file, and where they come from\n"
          "unused    the same as ignored, but the model's class writes them into every file\n\n"
          "A model that no rule covers is an error that lists what was found; --as llama reads\n"
          "it by the rule of another type, and every part is then marked as assumed.\n",
          options_of(ExplainOptions{}),
          {R"(posenc explain '{"model_type": "llama", "rope_theta": 500000}')",
           R"(posenc explain '{"model_type": "gpt_oss"}' --frequencies --json)"},
          run_explain};
}

}  // namespace posenc::cli
