// diff.cc: posenc diff.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "console.h"
#include "draw/plot.h"
#include "help.h"
#include "model/output.h"
#include "model/text.h"
#include "models.h"
#include "notes.h"
#include "options.h"

namespace posenc::cli {
namespace {

using model::Component;
using model::Model;

struct DiffOptions {
  std::vector<double> lengths{};
  std::string out{};
  bool picture = false, json = false;

  static Fields fields() {
    using S = DiffOptions;
    return {{"lengths", &S::lengths,
             "tokens for which phases are compared; those of the models unless given"},
            {"picture", &S::picture, "the frequencies of the second over the first, as a picture"},
            {"out", &S::out, "the same picture as a .png or .svg file"},
            {"json", &S::json, "every difference as JSON"}};
  }
};

struct Difference {
  std::string name, first, second;  // of a fact, as text; empty: it has none
};

// Both at one length.
struct Phases {
  int64_t length, pair;  // the pair that is worst
  double worst;          // radians between them after so many tokens
  Turning first, second;
};

// A component of both models.
struct Compared {
  const Component *first, *second;
  std::vector<Difference> facts{};
  std::vector<Phases> phases{};

  bool same() const {
    return first->scheme == second->scheme && facts.empty() &&
           std::all_of(phases.begin(), phases.end(), [](const Phases& p) {
             return p.worst == 0 && p.first.cos_sin_factor == p.second.cos_sin_factor &&
                    p.first.softmax_factor == p.second.softmax_factor;
           });
  }
};

std::vector<Difference> differences(const Component& a, const Component& b) {
  std::vector<Difference> out;
  const auto text_of = [](const Value* value) { return value ? text::write(*value) : ""; };
  const auto add = [&](const std::string& name, std::string first, std::string second) {
    if (first != second) out.push_back({name, std::move(first), std::move(second)});
  };
  add("layers", layers_text(a.layers), layers_text(b.layers));
  for (const auto& [name, value] : a.facts) add(name, text::write(value), text_of(b.find(name)));
  for (const auto& [name, value] : b.facts)
    if (!a.find(name)) add(name, "", text::write(value));
  add("positions", a.positions, b.positions);
  return out;
}

std::vector<int64_t> lengths_for(const Component& a, const Component& b,
                                 const DiffOptions& options) {
  std::vector<int64_t> out;
  for (const double length : options.lengths) {
    if (!(length >= 1 && length <= 2147483648.0) || length != std::floor(length))
      refuse("expected --lengths of whole numbers from 1 to 2^31, got ", length);
    out.push_back(static_cast<int64_t>(length));
  }
  if (out.empty())
    for (const Component* part : {&a, &b})
      for (const auto& length : {lengths_of(*part).trained, lengths_of(*part).usable})
        if (length && *length > 0) out.push_back(*length);
  if (out.empty()) out.push_back(4096);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<Phases> phases_of(const Component& a, const Component& b, const DiffOptions& options) {
  std::vector<Phases> out;
  for (const int64_t length : lengths_for(a, b, options)) {
    auto first = turning_of(a, length), second = turning_of(b, length);
    if (!first || !second || first->frequencies.size() != second->frequencies.size()) return out;
    Phases p{length, 0, 0, std::move(*first), std::move(*second)};
    for (size_t k = 0; k < p.first.frequencies.size(); ++k) {
      const double apart = std::abs(p.first.frequencies[k] - p.second.frequencies[k]) *
                           static_cast<double>(length - 1);
      if (apart > p.worst) p.worst = apart, p.pair = static_cast<int64_t>(k);
    }
    out.push_back(std::move(p));
  }
  return out;
}

struct Comparison {
  std::vector<Compared> both{};
  std::vector<const Component*> only_first{}, only_second{};

  bool same() const {
    return only_first.empty() && only_second.empty() &&
           std::all_of(both.begin(), both.end(), [](const Compared& c) { return c.same(); });
  }
};

// Parts are compared that are called the same.
Comparison compare(const Model& a, const Model& b, const DiffOptions& options) {
  Comparison out;
  std::vector<const Component*> left;
  for (const Component& part : b.components) left.push_back(&part);
  for (const Component& part : a.components) {
    const auto other = std::find_if(left.begin(), left.end(), [&](const Component* candidate) {
      return candidate->where == part.where;
    });
    if (other == left.end()) {
      out.only_first.push_back(&part);
      continue;
    }
    out.both.push_back(
        {&part, *other, differences(part, **other), phases_of(part, **other, options)});
    left.erase(other);
  }
  out.only_second = std::move(left);
  return out;
}

std::string shown(const std::string& text) {
  constexpr size_t most = 60;
  if (text.empty()) return "(none)";
  return files::printable(text.size() > most ? text.substr(0, most) + "..." : text);
}

std::string phases_text(const Phases& p) {
  if (p.worst == 0) return fmt::format("  {} tokens: every phase is the same\n", p.length);
  const auto k = static_cast<size_t>(p.pair);
  std::string out = fmt::format(
      "  {} tokens: phases are up to {:.4g} radians apart, in pair {} ({:.6g} and {:.6g} per "
      "token)\n",
      p.length, p.worst, p.pair, p.first.frequencies[k], p.second.frequencies[k]);
  return out;
}

std::string factors_text(const Phases& p) {
  std::string out;
  const auto add = [&](std::string_view what, double a, double b) {
    if (a != b) out += fmt::format("  {}: {:.6g} and {:.6g}\n", what, a, b);
  };
  add("factor on cosines and sines", p.first.cos_sin_factor, p.second.cos_sin_factor);
  add("factor on the softmax scale", p.first.softmax_factor, p.second.softmax_factor);
  return out;
}

std::string compared_text(const Compared& c) {
  std::string out = fmt::format("\n{}: {}\n", files::printable(c.first->where),
                                c.same() ? "the same, " + c.first->scheme
                                : c.first->scheme == c.second->scheme
                                    ? c.first->scheme
                                    : c.first->scheme + " and " + c.second->scheme);
  for (const Difference& d : c.facts)
    out +=
        fmt::format("  {}: {} and {}\n", files::printable(d.name), shown(d.first), shown(d.second));
  if (!c.same())
    for (const Phases& p : c.phases) out += phases_text(p);
  if (!c.phases.empty()) out += factors_text(c.phases.back());
  const auto layout = [](const Difference& d) { return d.name == "layout"; };
  if (std::any_of(c.facts.begin(), c.facts.end(), layout))
    out += "  Weights of one do not fit the other's layout: posenc convert layout moves them.\n";
  return out;
}

void print_text(const Comparison& all, const Model& a, const Model& b) {
  std::string out =
      fmt::format("first   {}: {}\nsecond  {}: {}\n", files::printable(a.path),
                  files::printable(a.family), files::printable(b.path), files::printable(b.family));
  for (const Compared& c : all.both) out += compared_text(c);
  const auto lone = [&](const std::vector<const Component*>& parts, std::string_view where) {
    for (const Component* part : parts)
      out += fmt::format("\n{}: {}, in the {} only\n", files::printable(part->where), part->scheme,
                         where);
  };
  lone(all.only_first, "first"), lone(all.only_second, "second");
  print(out + (all.same() ? "\nNo difference.\n" : ""));
}

Json phases_json(const Phases& p) {
  Json pairs = Json::array();
  for (size_t k = 0; k < p.first.frequencies.size(); ++k)
    pairs.push_back({p.first.frequencies[k], p.second.frequencies[k]});
  return {{"length", p.length},
          {"worst_phase", p.worst},
          {"pair", p.pair},
          {"cos_sin_factors", {p.first.cos_sin_factor, p.second.cos_sin_factor}},
          {"softmax_factors", {p.first.softmax_factor, p.second.softmax_factor}},
          {"frequencies", std::move(pairs)}};
}

Json compared_json(const Compared& c) {
  Json out{{"where", c.first->where},
           {"same", c.same()},
           {"schemes", {c.first->scheme, c.second->scheme}},
           {"facts", Json::array()},
           {"phases", Json::array()}};
  for (const Difference& d : c.facts)
    out["facts"].push_back({{"name", d.name}, {"first", d.first}, {"second", d.second}});
  for (const Phases& p : c.phases) out["phases"].push_back(phases_json(p));
  return out;
}

void print_json(const Comparison& all, const Model& a, const Model& b) {
  Json out{{"first", a.path}, {"second", b.path}, {"same", all.same()}};
  out["components"] = Json::array();
  for (const Compared& c : all.both) out["components"].push_back(compared_json(c));
  const auto lone = [&](const char* name, const std::vector<const Component*>& parts) {
    out[name] = Json::array();
    for (const Component* part : parts)
      out[name].push_back({{"where", part->where}, {"scheme", part->scheme}});
  };
  lone("only_first", all.only_first), lone("only_second", all.only_second);
  print(dump(out));
}

draw::Lines picture(const Comparison& all) {
  draw::Lines out{.title = "frequencies of the second model over those of the first",
                  .x = {"pair"},
                  .y = {.label = "ratio", .log = true}};
  out.dots = true;
  for (const Compared& c : all.both) {
    if (c.phases.empty()) continue;
    const Phases& p = c.phases.back();
    draw::Curve curve{c.first->where};
    for (size_t k = 0; k < p.first.frequencies.size(); ++k)
      if (p.first.frequencies[k] != 0 && p.second.frequencies[k] != 0) {
        curve.x.push_back(static_cast<double>(k));
        curve.y.push_back(p.second.frequencies[k] / p.first.frequencies[k]);
      }
    out.curves.push_back(std::move(curve));
  }
  if (out.curves.empty())
    fail(ErrorKind::data, "diff",
         "expected parts that both turn in as many pairs for a picture, got none");
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
  std::vector<model::Note> out;
  for (const model::Note& news : second.notes) {
    const bool wrong =
        news.kind == model::NoteKind::conflict || news.kind == model::NoteKind::ignored;
    const bool known = std::any_of(first.notes.begin(), first.notes.end(),
                                   [&](const model::Note& n) { return n.text == news.text; });
    if (wrong && !known) out.push_back(news);
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
  const Comparison all = compare(first, second, options);
  options.json ? print_json(all, first, second) : print_text(all, first, second);
  for (const model::Note& news : notes_of_second(first, second)) note(news.text);
  if (options.picture || !options.out.empty()) draw_picture(all, options);
}

}  // namespace

Command diff_command() {
  return {
      "diff",
      "where the positional encodings of two models differ, and by how much",
      "MODEL MODEL",
      "Each MODEL is what posenc explain takes. The second may also be a few keys in JSON, such "
      "as\n"
      "'{\"rope_theta\": 1000000}': the first with these keys instead of its own.\n\n"
      "Parts of the same name are compared: facts, then the phases of rotary ones, the worst of "
      "all\n"
      "pairs at the end of a text of some lengths. A radian is wrong; a thousandth is rounding.\n",
      options_of(DiffOptions{}),
      {R"(posenc diff '{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000, "max_position_embeddings": 8192}' '{"rope_theta": 10000}' --lengths 4096,8192)"},
      run_diff};
}

}  // namespace posenc::cli
