// diff_json.cc: what differs between two models, as JSON.
#include "model/answers.h"

namespace posenc::model {
namespace {

Json fact_tree(const Component& part, std::string_view name, FactsAs as) {
  if (as == FactsAs::text) return {fact_text(part, name)};
  if (const Value* value = part.find(name)) return tree(*value);
  if (name == "layers") return part.layers;
  return name == "positions" ? Json{part.positions} : Json{};
}

Json both_tree(Json first, Json second) {
  return files::JsonList{std::move(first), std::move(second)};
}

Json phases_tree(const Phases& p) {
  files::JsonList pairs;
  for (size_t k = 0; k < p.first.frequencies.size(); ++k)
    pairs.push_back(both_tree(p.first.frequencies[k], p.second.frequencies[k]));
  Json out;
  out["length"] = p.length, out["worst_phase"] = p.worst, out["pair"] = p.pair;
  out["cos_sin_factors"] = both_tree(p.first.cos_sin_factor, p.second.cos_sin_factor);
  out["softmax_factors"] = both_tree(p.first.softmax_factor, p.second.softmax_factor);
  out["frequencies"] = std::move(pairs);
  return out;
}

Json compared_tree(const Compared& c, FactsAs as) {
  files::JsonList facts, phases;
  for (const std::string& name : c.facts) {
    facts.push_back({{"name", name},
                     {"first", fact_tree(*c.first, name, as)},
                     {"second", fact_tree(*c.second, name, as)}});
  }
  for (const Phases& p : c.phases) phases.push_back(phases_tree(p));
  Json out;
  out["where"] = c.first->where, out["second_where"] = c.second->where;
  out["same"] = c.same(), out["schemes"] = both_tree(c.first->scheme, c.second->scheme);
  out["facts"] = std::move(facts), out["phases"] = std::move(phases);
  return out;
}

Json alone_tree(const std::vector<const Component*>& parts) {
  files::JsonList out;
  for (const Component* part : parts)
    out.push_back({{"where", part->where}, {"scheme", part->scheme}});
  return out;
}

}  // namespace

Json diff_tree(const Comparison& found, const Model& first, const Model& second, FactsAs facts) {
  Json out = answer();
  out["first"] = path_tree(first), out["second"] = path_tree(second);
  out["same"] = found.same();
  files::JsonList both;
  for (const Compared& c : found.both) both.push_back(compared_tree(c, facts));
  out["components"] = std::move(both);
  out["only_first"] = alone_tree(found.only_first);
  out["only_second"] = alone_tree(found.only_second);
  return out;
}

std::string diff_json(const Comparison& found, const Model& first, const Model& second,
                      FactsAs facts) {
  return files::write_json(diff_tree(found, first, second, facts));
}

}  // namespace posenc::model
