// json.h: what commands print as JSON.
#pragma once

#include "model/answers.h"
#include "options_json.h"

namespace posenc::cli {

using files::Json;

// Every member on a line of its own.
inline std::string dump(const Json& json) {
  return files::write_json(json, files::JsonStyle::indented) + "\n";
}

// What a command prints with --json, as docs/json.md describes it.
inline std::string answer(const Json& content) {
  Json out = model::answer();
  for (const auto& [name, value] : *content.object()) out[name] = value;
  return dump(out);
}

}  // namespace posenc::cli
