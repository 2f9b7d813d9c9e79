// c_json.cc: names, weights and sizes as JSON text.
#include "c_json.h"

#include <cstdio>

#include "base/json_reader.h"

namespace posenc::c {
namespace {

std::string member(std::string_view name, const std::string& value) {
  return files::json_text(name) + ": " + value;
}
std::string text_member(std::string_view name, std::string_view value) {
  return member(name, files::json_text(value));
}

std::string number(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  return digits;
}

// [f(element), ...]
template <class List, class F>
std::string list(const List& all, const F& f) {
  std::string out = "[";
  for (const auto& one : all) out += (out.size() > 1 ? ", " : "") + f(one);
  return out + "]";
}

std::string weight_json(const Weight& weight) {
  const auto size = [](int64_t n) { return std::to_string(n); };
  return "{" + text_member("name", weight.name) + ", " + member("shape", list(weight.shape, size)) +
         "}";
}

// Anything with a name and a help.
std::string named_json(const auto& one) {
  return "{" + text_member("name", one.name) + ", " + text_member("help", one.help) + "}";
}

std::string kind_json(const SchemeInfo& about) {
  return text_member("name", about.name) + ", " + text_member("family", about.family) + ", " +
         text_member("acts_on", about.acts_on);
}

std::string whole(std::string_view name, int64_t value) {
  return ", " + member(name, std::to_string(value));
}

std::string sizes_json(std::monostate) { return ""; }
std::string sizes_json(const AbsolutePlan& plan) {
  return whole("dim", plan.dim()) + whole("axes", plan.axes());
}
std::string sizes_json(const RotaryPlan& plan) {
  return whole("dim", plan.scheme().dim) + whole("axes", plan.axes()) + ", " +
         member("softmax_factor", number(plan.softmax_factor()));
}
std::string sizes_json(const BiasPlan& plan) {
  return whole("heads", plan.heads()) + whole("axes", plan.axes());
}
std::string sizes_json(const ContentPlan& plan) { return whole("heads", plan.heads()); }

}  // namespace

std::string schemes_json() {
  return list(schemes(), [](const SchemeInfo& about) {
    const auto named = [](const auto& one) { return named_json(one); };
    return "{" + kind_json(about) + ", " + text_member("about", about.about) + ", " +
           text_member("used_by", about.used_by) + ", " +
           member("options", list(about.options, named)) + ", " +
           member("presets", list(about.presets, named)) + "}";
  });
}

std::string scheme_json(const Scheme& scheme) {
  return kind_json(info(scheme)) + ", " + member("weights", list(weights(scheme), weight_json));
}

std::string plan_json(const Scheme& scheme, const Plan& plan) {
  return "{" + scheme_json(scheme) + std::visit([](const auto& p) { return sizes_json(p); }, plan) +
         "}";
}

}  // namespace posenc::c
