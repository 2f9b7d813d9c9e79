// model.h: which positional encoding a model has, read from its files.
//
//   const auto model = posenc::model::read("Llama-3.1-8B/config.json");
//   for (const auto& part : model.components)
//     if (part.ready) use(part.layers, posenc::prepare(*part.ready));
//
// A path may be a config.json of transformers, Meta's params.json, a .safetensors file or the index
// of several, a GGUF file, or the folder of a model. Only headers are read, and of tensors only
// those that hold positions. Nothing is guessed in silence: what a file did not say and a rule
// supplied is told as a note, and so is a key about positions that nothing read.
#pragma once

#include "posenc/convolution.h"
#include "posenc/scheme.h"

namespace posenc {
namespace POSENC_PUBLIC model {

// What is known of a component, in the order it is told: {"base", 500000.0}. A name with a dot is
// inside an object: "scaling.type".
using Facts = std::vector<std::pair<std::string, Value>>;

// One part of a model with one encoding: all layers of the text model, or those of one kind, or the
// vision encoder.
struct Component {
  std::string where;              // "text", "vision", "audio", "encoder", "text, sliding layers"
  std::string scheme;             // "rope", "learned", "t5", ...; "none" where there is no encoding
  Facts facts;                    // "layout", "head_dim", "base", "scaling.type", "rows", ...
  std::vector<int64_t> layers{};  // where not all of them
  std::optional<Scheme> ready{};  // to be prepared and used
  std::optional<Convolution> convolution{};  // the same, where neighbours tell the place
  std::string positions{};                   // how tokens are counted, in words
  std::vector<std::string> keys{};           // what decided it: "rope_theta = 500000"

  // Out of line: what copies or ends one of forty schemes takes a compiler seconds.
  Component(std::string where = {}, std::string scheme = {}, Facts facts = {});
  Component(const Component& other);
  Component(Component&& other) noexcept;
  Component& operator=(const Component& other);
  Component& operator=(Component&& other) noexcept;
  ~Component();
  const Value* find(std::string_view fact) const;
  // Whether posenc computes it: with neither of the two it is described only.
  bool is_runnable() const { return ready || convolution; }
};

enum class NoteKind : uint8_t {
  trap,      // what engines and people get wrong here
  conflict,  // keys that contradict each other
  ignored,   // a key about positions that this model's code does not read
  assumed,   // a value that no file gives
};
constexpr auto enum_names(NoteKind) { return names({"trap", "conflict", "ignored", "assumed"}); }

struct Note {
  NoteKind kind;
  std::string where;  // of a component; empty: of all
  std::string text;
};

struct Model {
  std::string path;
  std::string format;  // "config.json", "GGUF 3", "safetensors", "params.json"
  std::string family;  // model_type, or the architecture of a GGUF file
  std::vector<Component> components;
  std::vector<Note> notes;
};

// Throws Error of kind data where a file is broken, or no rule covers the model; the sentence says
// what was found, and what the commonest rule would say of it. `as_type` is the model_type whose
// rule reads the text of a config.json; every component then has a fact "assumed".
Model read(const std::string& path, std::string_view as_type = {});
// A config.json in memory.
Model read_config(std::string_view json, std::string_view as_type = {});
// A path, or a configuration in JSON; Model::path is empty for the latter.
Model read_given(const std::string& path_or_json, std::string_view as_type = {});
// Whether it is a configuration in JSON: it begins with {, or with [ where no file is called so.
bool is_config(std::string_view path_or_json);
// The same; a few keys in JSON without a model_type are the configuration of `base` with these
// instead of its own.
Model read_beside(const std::string& path_or_json, const std::string& base);

}  // namespace model
}  // namespace posenc
