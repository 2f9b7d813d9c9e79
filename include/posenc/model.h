// model.h: reads a model's positional encodings from its files.
//
//   const auto model = posenc::model::read("Llama-3.1-8B/config.json");
//   for (const auto& part : model.components)
//     if (part.ready) use(part.layers, posenc::prepare(*part.ready));
//
// A path may be a config.json of transformers, Meta's params.json, a .safetensors file or the index
// of several, a GGUF file, or a model's folder. Only headers are read, and only those tensors that
// hold positions. Nothing is guessed silently: values that a rule supplies because the file lacks
// them are reported as notes, and so are keys about positions that were not read.
#pragma once

#include "posenc/convolution.h"
#include "posenc/scheme.h"

namespace posenc {
namespace POSENC_PUBLIC model {

// The facts of a component, in the order of printing: {"base", 500000.0}. A name with a dot is
// a member of an object: "scaling.type".
using Facts = std::vector<std::pair<std::string, Value>>;

// A part of a model with one encoding: all layers of the text model, or one group of its layers, or
// the vision encoder.
struct Component {
  std::string where;              // "text", "vision", "audio", "encoder", "text, sliding layers"
  std::string scheme;             // "rope", "learned", "t5", ...; "none" if there is no encoding
  Facts facts;                    // "layout", "head_dim", "base", "scaling.type", "rows", ...
  std::vector<int64_t> layers{};  // if not all of them
  std::optional<Scheme> ready{};  // pass it to prepare()
  std::optional<Convolution> convolution{};  // the same, for convolutions
  std::string positions{};                   // how tokens are counted, in words
  std::vector<std::string> keys{};           // keys that decided it: "rope_theta = 500000"

  // Out of line, because copies and destructors of forty schemes take seconds to compile.
  Component(std::string where = {}, std::string scheme = {}, Facts facts = {});
  Component(const Component& other);
  Component(Component&& other) noexcept;
  Component& operator=(const Component& other);
  Component& operator=(Component&& other) noexcept;
  ~Component();
  const Value* find(std::string_view fact) const;
  // Whether posenc computes it; without either of the two it is only described.
  bool is_runnable() const { return ready || convolution; }
};

enum class NoteKind : uint8_t {
  trap,      // a common mistake with this model
  conflict,  // keys that contradict each other
  ignored,   // a key about positions that this model's code does not read
  assumed,   // a value that no file contains
  unused,    // the same as ignored, as the model's class writes it into every file: no finding
};
constexpr auto enum_names(NoteKind) {
  return names({"trap", "conflict", "ignored", "assumed", "unused"});
}

struct Note {
  NoteKind kind;
  std::string where;  // of a component; empty: of the whole model
  std::string text;
};

struct Model {
  std::string path;
  std::string format;  // "config.json", "GGUF 3", "safetensors", "params.json"
  std::string family;  // model_type, or the architecture of a GGUF file
  std::vector<Component> components;
  std::vector<Note> notes;
};

// Throws Error of kind data if a file is broken or no rule covers the model; the message lists what
// was found, and what the most common rule would give. `as_type` is the model_type whose rule is
// used to read a config.json; every component then has a fact "assumed".
Model read(const std::string& path, std::string_view as_type = {});
// A config.json in memory.
Model read_config(std::string_view json, std::string_view as_type = {});
// A path, or a configuration in JSON; Model::path is empty for the latter.
Model read_given(const std::string& path_or_json, std::string_view as_type = {});
// Whether it is a configuration in JSON: it begins with {, or with [ if no file has that name.
bool is_config(std::string_view path_or_json);
// The same; a few keys in JSON without a model_type mean the configuration of `base` with these
// keys replaced.
Model read_beside(const std::string& path_or_json, const std::string& base);

}  // namespace model
}  // namespace posenc
