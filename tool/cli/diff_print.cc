// diff_print.cc: what differs between two models, as text and as JSON.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "diff_compare.h"

namespace posenc::cli {
namespace {

using model::Component;

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
  std::string out = fmt::format("\n{}: {}\n", files::printable(c.where()),
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

}  // namespace

std::string comparison_text(const Comparison& all, const model::Model& a, const model::Model& b) {
  std::string out = fmt::format("first   {}: {}\nsecond  {}: {}\n", files::printable(path_text(a)),
                                files::printable(a.family), files::printable(path_text(b)),
                                files::printable(b.family));
  for (const Compared& c : all.both) out += compared_text(c);
  const auto lone = [&](const std::vector<const Component*>& parts, std::string_view where) {
    for (const Component* part : parts)
      out += fmt::format("\n{}: {}, in the {} only\n", files::printable(part->where), part->scheme,
                         where);
  };
  lone(all.only_first, "first"), lone(all.only_second, "second");
  return out + (all.same() ? "\nNo difference.\n" : "");
}

namespace {

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
  Json out{{"where", c.first->where}, {"second_where", c.second->where},
           {"same", c.same()},        {"schemes", {c.first->scheme, c.second->scheme}},
           {"facts", Json::array()},  {"phases", Json::array()}};
  for (const Difference& d : c.facts)
    out["facts"].push_back({{"name", d.name}, {"first", d.first}, {"second", d.second}});
  for (const Phases& p : c.phases) out["phases"].push_back(phases_json(p));
  return out;
}

}  // namespace

Json comparison_json(const Comparison& all, const model::Model& a, const model::Model& b) {
  Json out{{"first", path_json(a)}, {"second", path_json(b)}, {"same", all.same()}};
  out["components"] = Json::array();
  for (const Compared& c : all.both) out["components"].push_back(compared_json(c));
  const auto lone = [&](const char* name, const std::vector<const Component*>& parts) {
    out[name] = Json::array();
    for (const Component* part : parts)
      out[name].push_back({{"where", part->where}, {"scheme", part->scheme}});
  };
  lone("only_first", all.only_first), lone("only_second", all.only_second);
  return out;
}

}  // namespace posenc::cli
