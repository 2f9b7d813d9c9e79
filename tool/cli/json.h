// json.h: options and their values as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "posenc/model/explain.h"

namespace posenc::cli {

using Json = nlohmann::ordered_json;

// The value an option has now, a whole number without a point; null for none.
inline Json value_json(const Option& option) {
  const std::string text = text::write(option.value);
  if (option.value.index() == 0) return nullptr;
  if (option.kind == OptionKind::choice || option.kind == OptionKind::text) return text;
  return Json::parse(option.kind == OptionKind::list ? "[" + text + "]" : text);
}

// The options that count: those of a choice that is not taken are left out.
inline Json options_json(const SchemeInfo& scheme) { return Json::parse(to_json(scheme.options)); }

// Text from outside may be no UTF-8: it is mended, never refused.
inline std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What a command prints with --json, as docs/json.md describes it.
inline std::string answer(const Json& content) {
  Json out{{"version", model::json_version}};
  out.update(content);
  return dump(out);
}

}  // namespace posenc::cli
