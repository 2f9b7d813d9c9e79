// diff_print.cc: what differs between two models, as text.
#include "cli/models/diff_print.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "cli/models/models.h"

namespace posenc::cli {
namespace {

using model::Compared;
using model::Component;
using model::Phases;

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

std::string both_factors_text(const Phases& p) {
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
  for (const std::string& name : c.facts)
    out += fmt::format("  {}: {} and {}\n", files::printable(name),
                       shown(fact_text(*c.first, name)), shown(fact_text(*c.second, name)));
  if (!c.same())
    for (const Phases& p : c.phases) out += phases_text(p);
  if (!c.phases.empty()) out += both_factors_text(c.phases.back());
  if (std::find(c.facts.begin(), c.facts.end(), "layout") != c.facts.end())
    out += "  Weights of one do not fit the other's layout: posenc convert layout moves them.\n";
  return out;
}

}  // namespace

std::string comparison_text(const model::Comparison& all, const model::Model& a,
                            const model::Model& b) {
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

}  // namespace posenc::cli
