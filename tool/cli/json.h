// json.h: options and their values as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "posenc/scheme.h"

namespace posenc::cli {

using Json = nlohmann::ordered_json;

// The value an option has now, in the JSON type of its kind; null for none.
inline Json value_json(const Option& option) {
  if (option.value.empty() && option.kind != "text" && option.kind != "list") return nullptr;
  if (option.kind == "list") return Json::parse("[" + option.value + "]");
  if (option.kind == "choice" || option.kind == "text") return option.value;
  return Json::parse(option.value);
}

// The options that count: those of a choice that is not taken are left out.
inline Json options_json(const SchemeInfo& scheme) {
  Json out = Json::object();
  for (const Option& option : scheme.options) {
    const auto space = option.only_with.rfind(' ');
    const bool taken = option.only_with.empty() ||
                       out[option.only_with.substr(0, space)] == option.only_with.substr(space + 1);
    if (taken) out[option.name] = value_json(option);
  }
  return out;
}

// Text from outside may be no UTF-8: it is mended, never refused.
inline std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace posenc::cli
