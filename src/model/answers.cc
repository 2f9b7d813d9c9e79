// answers.cc: what identify() and check() found, as JSON.
#include "model/answers.h"

#include "options_json.h"

namespace posenc::model {
namespace {

Json or_null(const std::string& text) { return text.empty() ? Json{} : Json{text}; }

}  // namespace

Json identify_tree(const Match& m) {
  Json out = answer();
  out["kind"] = or_null(m.kind), out["match"] = or_null(m.match);
  out["mistake"] = or_null(m.mistake), out["error"] = m.error, out["sentence"] = m.sentence;
  out["also"] = m.also, out["holds"] = or_null(m.holds), out["layout"] = or_null(m.layout);
  out["options"] = m.found ? options_tree(m.found->options) : Json{};
  out["command"] = or_null(m.command);
  return out;
}

std::string identify_json(const Match& match) { return files::write_json(identify_tree(match)); }

Json check_tree(const Scheme& scheme, const std::vector<Property>& found) {
  files::JsonList all;
  for (const Property& p : found)
    all.push_back({{"name", p.name},
                   {"claim", p.claim},
                   {"verdict", enum_name(p.verdict)},
                   {"evidence", p.evidence},
                   {"measured", p.measured},
                   {"bound", p.bound}});
  Json out = answer();
  out["scheme"] = alternative_name(scheme), out["properties"] = std::move(all);
  return out;
}

std::string check_json(const Scheme& scheme, const std::vector<Property>& found) {
  return files::write_json(check_tree(scheme, found));
}

}  // namespace posenc::model
