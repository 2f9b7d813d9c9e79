// c_json.cc: names, weights and sizes as JSON text.
#include "c_json.h"

#include "base/json.h"

namespace posenc::c {
namespace {

using files::Json;

Json weights_tree(const std::vector<Weight>& weights) {
  files::JsonList out;
  for (const Weight& weight : weights)
    out.push_back({{"name", weight.name}, {"shape", weight.shape}});
  return out;
}

// Options or presets.
template <class T>
Json named_tree(const std::vector<T>& all) {
  files::JsonList out;
  for (const T& one : all) out.push_back({{"name", one.name}, {"help", one.help}});
  return out;
}

Json kind_tree(const SchemeInfo& about) {
  return {{"name", about.name}, {"family", about.family}, {"acts_on", about.acts_on}};
}

Json scheme_tree(const Scheme& scheme) {
  Json out = kind_tree(info(scheme));
  out["weights"] = weights_tree(weights(scheme));
  return out;
}

void put_sizes(Json&, std::monostate) {}
void put_sizes(Json& out, const AbsolutePlan& plan) {
  out["dim"] = plan.dim(), out["axes"] = plan.axes();
}
void put_sizes(Json& out, const RotaryPlan& plan) {
  out["dim"] = plan.scheme().dim, out["axes"] = plan.axes();
  out["softmax_factor"] = files::typed_number(plan.softmax_factor());
}
void put_sizes(Json& out, const BiasPlan& plan) {
  out["heads"] = plan.heads(), out["axes"] = plan.axes();
}
void put_sizes(Json& out, const ContentPlan& plan) { out["heads"] = plan.heads(); }

std::string text_of(const Json& json) { return files::write_json(json, files::JsonStyle::spaced); }

}  // namespace

std::string schemes_json() {
  files::JsonList out;
  for (const SchemeInfo& about : schemes()) {
    Json scheme = kind_tree(about);
    scheme["about"] = about.about, scheme["used_by"] = about.used_by;
    scheme["options"] = named_tree(about.options), scheme["presets"] = named_tree(about.presets);
    out.push_back(std::move(scheme));
  }
  return text_of(out);
}

std::string scheme_json(const Scheme& scheme) { return text_of(scheme_tree(scheme)); }

std::string plan_json(const Scheme& scheme, const Plan& plan) {
  Json out = scheme_tree(scheme);
  std::visit([&](const auto& p) { put_sizes(out, p); }, plan);
  return text_of(out);
}

}  // namespace posenc::c
