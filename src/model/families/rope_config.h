// rope_config.h: what a configuration says of queries and keys that turn.
//
//   add_rope(reading, {.sizes = {.width = 4096, .heads = 32, .length = 2048}, .base = 500000});
//
// Two spellings are read: rope_theta with rope_scaling beside it, and one object rope_parameters
// (transformers 5), which may hold an object for each kind of layer. What differs between families
// is data; a family that needs more changes the component before it adds it.
#pragma once

#include <array>

#include "model/families/families.h"
#include "model/ready.h"
#include "posenc/rotary.h"

namespace posenc::model {

// Why a value is assumed.
inline constexpr std::string_view by_class = "the default of its class";

// What a model's class supplies where its file is silent; 0: the file must say.
struct ClassSizes {
  int64_t width = 0, heads = 0, layers = 0, length = 0;
  int64_t head = 0;  // 0: width / heads
};

// How the pairs share several coordinates of a token.
enum class RopeCoordinates : uint8_t { one, chunked, alternating, ernie, pairs, hunyuan };

// Where partial_rotary_factor is read: in rope_parameters and beside it, inside alone, or nowhere.
enum class ShareKey : uint8_t { anywhere, inside, nowhere };

inline constexpr double usual_base = 10000;

struct RopeRule {
  ClassSizes sizes{};
  double base = usual_base;  // where no key gives one
  // Instead of rope_theta, where the class has names of its own; then rotary_pct is the fraction.
  std::string_view base_key{};
  Layout layout = Layout::half;
  // The part of a head that turns where no key says; 0: all of it, whatever a key says.
  double fraction = 0;
  ShareKey share = ShareKey::anywhere;
  int64_t turning = 0;         // the features that rotate where no key says; 0: the fraction
  std::string_view scaling{};  // rope_parameters, as JSON, where neither spelling is there
  bool latent = false;         // qk_rope_head_dim turns, and YaRN's magnitude scales the softmax
  RopeCoordinates coordinates = RopeCoordinates::one;
  std::array<double, 3> sections{};   // mrope_section where it is absent; 0: it must be there
  bool last = false;                  // the last features of a head turn
  bool fixed = false;                 // the code reads neither base nor scaling from the file
  std::optional<double> magnitude{};  // YaRN's, where the file gives none
  bool yarn_is_longrope = false;
  int64_t trained = 0;   // the class's original_max_position_embeddings, read before the object's
  bool mscales = false;  // short_mscale and long_mscale are LongRoPE's magnitudes (PhiMoE)
  bool reads_scaling = true;  // false: rope_scaling is not read
  bool reads_flat = true;     // false: rope_parameters is not, but with an object for each kind
  bool temperature = false;   // llama_4_scaling_beta grows queries with the position
  Sign sign = Sign::positive;
};

// Layers that turn alike: all of them, or those of one kind.
struct RopePart {
  std::string where{};               // empty: that of the reading
  std::string_view entry{};          // its object inside rope_parameters: "full_attention"
  bool optional = false;             // that object may be missing where others are there
  std::vector<int64_t> layers{};     // empty: all
  std::string_view base_key{};       // before rope_theta, where it has one of its own
  std::optional<double> base{};      // where no key gives one; else the rule's
  bool scaled = true;                // false: rope_scaling is for other layers
  std::optional<int64_t> head{};     // the head's size, where these layers have one of their own
  bool reads_base = true;            // false: rope_theta is the base of other layers
  std::optional<int64_t> turning{};  // how many features turn, from elsewhere
  std::optional<double> given{};     // the base itself, from elsewhere
};

// The component, not added yet; its `ready` is a Rope. Throws Error where a size is missing or no
// rule covers the rope_type.
Component rope_component(const Reading& reading, const RopeRule& rule, const RopePart& part = {});
// Its Rope; nothing where the layers do not turn.
Rope* rope_of(Component& component);
inline void add_rope(const Reading& reading, const RopeRule& rule, const RopePart& part = {}) {
  reading.add(rope_component(reading, rule, part));
}

// Tells that nothing reads what these keys say of turning, neither they nor what is inside.
void ignore_rope(const Config& config, std::string_view why);
// The same of one object alone: rope_scaling or rope_parameters.
void ignore_entry(const Config& config, std::string_view key, std::string_view why);
// Tells what goes wrong with encodings like this one.
void add_rope_traps(const Reading& reading, const RopeRule& rule, const Rope& rope);

// Sizes by all the names they have; assumed from the class where it supplies them.
int64_t width_of(const Config& config, const ClassSizes& sizes);
int64_t heads_of(const Config& config, const ClassSizes& sizes);
int64_t layers_of(const Config& config, const ClassSizes& sizes);
int64_t head_dim_of(const Config& config, const ClassSizes& sizes);
std::optional<int64_t> length_of(const Config& config, const ClassSizes& sizes);

// Whether the key is there, be it with null: then the class supplies nothing.
bool is_written(const Json& object, std::string_view key);
inline bool is_written(const Config& config, std::string_view key) {
  return is_written(config.json(), key);
}

// Adds a fact, or gives one that is there another value.
void set_fact(Component& component, std::string_view name, Value value);

// Where a configuration keeps what it says of turning, for one part of the layers.
struct RopeKeys {
  const Config& config;
  std::optional<Config> entry{};  // rope_parameters or rope_scaling, or what the class supplies
  bool nested = false;            // the entry is one of several, each for a kind of layer
  bool none = false;              // the entry of this kind is null: these layers do not turn
};
RopeKeys rope_keys(const Config& config, const RopeRule& rule, const RopePart& part,
                   Journal& assumed, Json& supplied);
// Tells that a key in the entry and the same beside it differ.
void note_other(const RopeKeys& keys, std::string_view key);
// The base: of the entry, of a key beside it, of the class.
double base_of(const RopeKeys& keys, const RopeRule& rule, const RopePart& part);
// Which coordinate turns which pair; false where posenc cannot turn so.
bool add_coordinates(const RopeKeys& keys, const RopeRule& rule, Component& out, Rope& rope);
// Whether rope_parameters, or what the class supplies in its place, holds an object for each kind
// of layer.
bool has_rope_entries(const Config& config, const RopeRule& rule);

// The length rule of an entry.
struct RopeScaling {
  Scaling rule = NoScaling{};
  Facts facts{};  // "scaling.type" and its numbers
  double softmax_factor = 1;
  std::optional<LogTemperature> temperature{};
};
// The facts of a rule: its options by their names.
Facts scaling_facts(std::string_view type, const Scaling& rule);
// A length rule from elsewhere, told by the names of its options, in a component that turns.
void set_scaling(Component& component, std::string_view type, const Scaling& rule);
RopeScaling rope_scaling(const RopeKeys& keys, const RopeRule& rule, std::optional<int64_t> length);

}  // namespace posenc::model
