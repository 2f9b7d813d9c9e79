// layer_kinds.h: what each layer of a model is: attention to everything, within a window, or none.
#pragma once

#include "model/families/rope_config.h"

namespace posenc::model {

using Kinds =
    std::vector<std::string>;  // of each layer: "full_attention", "sliding_attention", ...

inline constexpr std::string_view full = "full_attention", sliding = "sliding_attention",
                                  linear_kind = "linear_attention";

// How a class fills in the kinds where the file has no layer_types.
struct LayerRule {
  int64_t period = 0;             // one layer of so many is full; 0: all are
  int64_t shift = 1;              // the layer of a period that is full, counted from its end
  bool from_end = false;          // the last layer is full, and so on backwards
  int64_t leading = 0;            // so many layers before the pattern are full too
  bool last = false;              // and so is the last
  std::string_view period_key{};  // that says the period
  std::string_view kind = full, other = sliding;  // what layers are called
  std::string_view cycle{};     // kinds that repeat, with blanks between, instead of a period
  std::string_view first{};     // of the first layer, where it is none of them
  std::string_view list_key{};  // a list instead: for each layer 1 or 0, or numbers of layers
  bool listed_are_full = true;  // what the list says of the layers it names
  bool indices = false;         // it holds numbers of layers
};

// How far layers see that have a window.
struct WindowRule {
  bool everywhere = false;  // sliding_window counts although no layer is called a sliding one
  bool asked = false;       // it counts only where use_sliding_window is true
  std::string_view key = "sliding_window";
  bool alone = false;           // neither another name of the key nor use_sliding_window is read
  int64_t size = 0;             // where the file says nothing; 0: there is none
  int64_t late = 0;             // so many layers before it see everything: max_window_layers
  bool early = false;           // every second layer of those has it instead (Qwen2-MoE)
  std::string_view long_key{};  // the window of every second layer that has one (NeoMME)
  int64_t long_size = 0;
};

Kinds layer_kinds(const Config& config, const ClassSizes& sizes, const LayerRule& rule);

// The layers of one kind; those that fulfil something.
std::vector<int64_t> layers_where(const Kinds& kinds, bool (*is)(std::string_view kind));
inline bool is_full(std::string_view kind) { return kind == full; }
inline bool is_sliding(std::string_view kind) { return kind == sliding; }
bool is_attention(std::string_view kind);

// The flags of a list with one number, 0 or 1, for each layer; none where the key is absent or the
// list is empty.
std::optional<std::vector<bool>> layer_flags(const Config& config, std::string_view key,
                                             int64_t layers);

// Which layers turn and which have no position, by no_rope_layers or its interval.
struct StillLayers {
  std::vector<int64_t> turning{};
  std::vector<double> still{};
};
StillLayers still_layers(const Config& config, const ClassSizes& sizes);

// What layers are called beside the part: "full layers".
std::string kind_name(std::string_view kind);

// What transformers 5 writes for one layer alone: {"05": {"head_dim": 512}}.
std::optional<Config> own_keys(const Config& config, int64_t layer);

// Tells the window, and which layers have it where not all do.
void add_window(const Reading& reading, const WindowRule& rule, const Kinds& kinds,
                Component& component);
// The same where some layers are sliding ones, or the window is everywhere.
void add_own_window(const Reading& reading, const WindowRule& rule, const Kinds& kinds,
                    Component& component);

}  // namespace posenc::model
