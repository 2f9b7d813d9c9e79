// diff.cc: the positional encodings of two models, part by part.
#include "posenc/model/diff.h"

#include <algorithm>
#include <cmath>

namespace posenc::model {
namespace {

using Components = std::vector<const Component*>;

// "0-5, 12, 18" of a list of layers.
std::string layers_text(const std::vector<int64_t>& layers) {
  std::string out;
  for (size_t i = 0; i < layers.size();) {
    size_t last = i;
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1) ++last;
    out += (i > 0 ? ", " : "") + text::write(layers[i]);
    if (last > i) out += (last > i + 1 ? "-" : ", ") + text::write(layers[last]);
    i = last + 1;
  }
  return out;
}

std::vector<std::string> differences(const Component& a, const Component& b) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    const bool known = std::find(out.begin(), out.end(), name) != out.end();
    if (!known && fact_text(a, name) != fact_text(b, name)) out.push_back(name);
  };
  add("layers");
  for (const auto& [name, value] : a.facts) add(name);
  for (const auto& [name, value] : b.facts)
    if (!a.find(name)) add(name);
  add("positions");
  return out;
}

std::vector<int64_t> lengths_for(const Component& a, const Component& b, std::vector<int64_t> out) {
  if (out.empty())
    for (const Component* part : {&a, &b})
      for (const auto& length : {model::lengths(*part).trained, model::lengths(*part).usable})
        if (length && *length > 0) out.push_back(*length);
  if (out.empty()) out.push_back(4096);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<Phases> phases_of(const Component& a, const Component& b,
                              const std::vector<int64_t>& lengths) {
  std::vector<Phases> out;
  for (const int64_t length : lengths_for(a, b, lengths)) {
    auto first = rotation(a, length), second = rotation(b, length);
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

Compared compared(const Component& a, const Component& b, const std::vector<int64_t>& lengths) {
  return {&a, &b, differences(a, b), phases_of(a, b, lengths)};
}

// "text" of "text, full layers".
std::string_view part_of(const Component& component) {
  const std::string_view where = component.where;
  return where.substr(0, where.find(", "));
}

Components of_part(const Components& from, std::string_view part) {
  Components out;
  for (const Component* c : from)
    if (part_of(*c) == part) out.push_back(c);
  return out;
}

void remove(Components& from, const Components& which) {
  std::erase_if(from, [&](const Component* c) {
    return std::find(which.begin(), which.end(), c) != which.end();
  });
}

// Of one part: one with each of the other's groups, or as many, one by one.
bool pair_groups(const Components& a, const Components& b, Comparison& out,
                 const std::vector<int64_t>& lengths) {
  if (a.empty() || b.empty() || (a.size() != b.size() && a.size() != 1 && b.size() != 1))
    return false;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    out.both.push_back(
        compared(*a[std::min(i, a.size() - 1)], *b[std::min(i, b.size() - 1)], lengths));
  return true;
}

// Parts of one name; of several of that name those with the same scheme come first.
void pair_called_alike(Comparison& out, const std::vector<int64_t>& lengths, bool same_scheme) {
  const Components first = out.only_first;
  for (const Component* part : first) {
    const auto& left = out.only_second;
    const auto other = std::find_if(left.begin(), left.end(), [&](const Component* candidate) {
      return candidate->where == part->where && (!same_scheme || candidate->scheme == part->scheme);
    });
    if (other == left.end()) continue;
    out.both.push_back(compared(*part, **other, lengths));
    remove(out.only_first, {part}), remove(out.only_second, {*other});
  }
}

Components of_scheme(const Components& from, std::string_view scheme) {
  Components out;
  for (const Component* c : from)
    if (c->scheme == scheme) out.push_back(c);
  return out;
}

// Parts with other names, where each model has one alone with that scheme left.
void pair_schemes(Comparison& out, const std::vector<int64_t>& lengths) {
  const Components first = out.only_first;
  for (const Component* part : first) {
    const Components a = of_scheme(out.only_first, part->scheme),
                     b = of_scheme(out.only_second, part->scheme);
    if (a.size() != 1 || b.size() != 1 || part->scheme == "none") continue;
    out.both.push_back(compared(*part, *b[0], lengths));
    remove(out.only_first, a), remove(out.only_second, b);
  }
}

void pair_rest(Comparison& out, const std::vector<int64_t>& lengths) {
  const Components first = out.only_first;
  for (const Component* part : first) {
    const Components a = of_part(out.only_first, part_of(*part)),
                     b = of_part(out.only_second, part_of(*part));
    if (!pair_groups(a, b, out, lengths)) continue;
    remove(out.only_first, a), remove(out.only_second, b);
  }
}

}  // namespace

bool Compared::same() const {
  return first->scheme == second->scheme && facts.empty() &&
         std::all_of(phases.begin(), phases.end(), [](const Phases& p) {
           return p.worst == 0 && p.first.cos_sin_factor == p.second.cos_sin_factor &&
                  p.first.softmax_factor == p.second.softmax_factor;
         });
}

std::string Compared::where() const {
  return first->where == second->where ? first->where : first->where + " against " + second->where;
}

bool Comparison::same() const {
  return only_first.empty() && only_second.empty() &&
         std::all_of(both.begin(), both.end(), [](const Compared& c) { return c.same(); });
}

Comparison diff(const Model& a, const Model& b, const std::vector<int64_t>& lengths) {
  Comparison out;
  for (const Component& part : a.components) out.only_first.push_back(&part);
  for (const Component& part : b.components) out.only_second.push_back(&part);
  pair_called_alike(out, lengths, true);
  pair_called_alike(out, lengths, false);
  pair_rest(out, lengths);
  pair_schemes(out, lengths);
  std::stable_sort(out.both.begin(), out.both.end(),
                   [](const Compared& x, const Compared& y) { return x.first < y.first; });
  return out;
}

std::string fact_text(const Component& part, std::string_view name) {
  if (const Value* value = part.find(name)) return text::write(*value);
  return name == "layers" ? layers_text(part.layers) : name == "positions" ? part.positions : "";
}

}  // namespace posenc::model
