// text_rules.h: families of text models as rows of data.
#pragma once

#include "model/families/layer_kinds.h"

namespace posenc::model {

enum class Turns : uint8_t { attention, sliding_only, full_only };

// Sliding layers with a base of their own.
struct LocalRule {
  std::string_view full_key{}, key{};  // of the bases; full_key empty: rope_theta
  double full_base = 0, base = 10000;  // where no key gives them
  bool scaled = false;                 // rope_scaling is for sliding layers too
};

struct TextRule {
  std::string_view types;  // as configurations name them, several with blanks between
  RopeRule rope{};         // without sizes: those of class_defaults.h
  LayerRule layers{};
  Turns turns = Turns::attention;
  LocalRule local{};
  WindowRule window{};  // beside what class_defaults.h has
  void (*read)(const Reading& reading, const TextRule& rule) = nullptr;  // else as read_alike does
  std::string_view trap{};
};

inline constexpr std::string_view rotary_dim_unread =
    "transformers 5 does not read rotary_dim here and turns the whole head; the model's own code "
    "and vLLM turn rotary_dim features.";

std::span<const TextRule> plain_rules();       // one rope on every layer
std::span<const TextRule> layered_rules();     // that differ from layer to layer
std::span<const TextRule> coordinate_rules();  // with several coordinates
std::span<const TextRule> latent_rules();      // whose attention is latent
std::span<const TextRule> special_rules();     // with readers of their own
std::span<const TextRule> remote_rules();      // whose code is not in transformers

// All attention layers turn alike, or each kind as rope_parameters says.
void read_alike(const Reading& reading, const TextRule& rule);
// Full and sliding layers have each a base.
void read_local(const Reading& reading, const TextRule& rule);
void read_modernbert(const Reading& reading, const TextRule& rule);
// no_rope_layers, where 1 is a layer that turns.
void read_no_rope_layers(const Reading& reading, const TextRule& rule);
// A base for each layer, 0 where it does not turn.
void read_layer_bases(const Reading& reading, const TextRule& rule);
// Latent attention: the last part of a head turns.
void read_latent(const Reading& reading, const TextRule& rule);
void read_deepseek_v4(const Reading& reading, const TextRule& rule);
void read_mistral_large4(const Reading& reading, const TextRule& rule);
void read_dots3(const Reading& reading, const TextRule& rule);
// Nothing turns, whatever keys say.
void read_none(const Reading& reading, const TextRule& rule);

// Tells a rope_scaling of the older spelling, where transformers 5 reads rope_type alone.
void tell_older_type(const Reading& reading);

// A component without an encoding.
void add_none(const Reading& reading, std::string_view why);

}  // namespace posenc::model
