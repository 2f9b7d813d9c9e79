// explain.h: pieces of what is told of models as JSON.
#pragma once

#include "model/json.h"
#include "posenc/model/explain.h"

namespace posenc::model {

using files::Json;

Json tree(const Value& value);
template <class T>
Json list_tree(const std::vector<T>& items) {
  files::JsonList out;
  for (const T& item : items) out.push_back({item});
  return {std::move(out)};
}
// Null for a configuration that is in no file.
Json path_tree(const Model& model);

// What every answer begins with: {"version": 1}.
Json answer();

}  // namespace posenc::model
