// models.h: what commands tell of a model's encodings.
#pragma once

#include "json.h"
#include "posenc/model.h"

namespace posenc::cli {

// What a word of the command line names: a path, or the keys of a configuration in JSON; read by
// the rule of another type where that is asked for.
model::Model read_model(const std::string& word, const std::string& as_type = {});
// Its path: "<config>" for keys on the command line, null in JSON.
std::string path_text(const model::Model& model);
Json path_json(const model::Model& model);
// The same; keys without a model_type are those of `base` with these instead of its own.
model::Model read_model_beside(const std::string& word, const std::string& base);

// Tokens a component was trained on, and those its file says it may read.
struct Lengths {
  std::optional<int64_t> trained{}, usable{};
};
Lengths lengths_of(const model::Component& part);

// What a rotary component comes to for a text of some length.
struct Turning {
  int64_t length = 0;                 // 0 where its rule does not ask
  std::vector<double> frequencies{};  // of each pair, radians per position
  double cos_sin_factor = 1, softmax_factor = 1;

  int64_t rotating() const;                  // pairs whose frequency is not 0
  double longest() const;                    // wavelength of the slowest pair that rotates
  int64_t unfinished(int64_t within) const;  // those that complete no turn within so many tokens
};
// Nothing for a component that does not turn, or is not implemented. The length is the usable one
// unless given.
std::optional<Turning> turning_of(const model::Component& part, std::optional<int64_t> length = {});

// The scheme of posenc that a component is, with its options; nothing where it is described only.
std::optional<SchemeInfo> scheme_info(const model::Component& part);

// Facts with dots in their names are objects inside.
Json facts_json(const model::Component& part);

// "0-5, 12, 18" of a list of layers.
std::string layers_text(const std::vector<int64_t>& layers);

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
