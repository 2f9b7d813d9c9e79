// models.h: what commands tell of a model's encodings.
#pragma once

#include "posenc/model.h"

namespace posenc::cli {

// What a word of the command line names: a path, or the keys of a configuration in JSON; read by
// the rule of another type where that is asked for.
model::Model read_model(const std::string& word, const std::string& as_type = {});
// Its path: "<config>" for keys on the command line.
std::string path_text(const model::Model& model);
// The same; keys without a model_type are those of `base` with these instead of its own.
model::Model read_model_beside(const std::string& word, const std::string& base);

// The scheme that a model has, and the options that make it so.
struct ModelScheme {
  std::string name;
  Options options;
  std::optional<int64_t> length{};  // of a text, where its length rule asks
  std::string weights{}, tensor{};  // the file and the name of its table, where it lies there
};
// Throws a usage error where part and layer choose none, or one whose weights are missing; Error
// where posenc does not compute it.
ModelScheme scheme_of_model(const std::string& word, const std::string& part,
                            std::optional<int64_t> layer, bool has_weights);

// The component that is called `part`, or of which `layer` is one; throws a usage error where that
// leaves several or none.
const model::Component& choose(const model::Model& model, const std::string& part,
                               std::optional<int64_t> layer);

}  // namespace posenc::cli
