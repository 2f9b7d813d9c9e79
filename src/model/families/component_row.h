// component_row.h: what a model's row says of its parts: those inside it, and what each has.
//
//   .sub_configs = {{"backbone_config", "vision", "rt_detr_resnet"}},   a part with its own rule
//   .components = {{.where = "encoder", .scheme = "sinusoidal-2d",
//                   .facts = {{{"dim", "d_model", 256}}}}}
#pragma once

#include <array>

#include "model/families/parts.h"

namespace posenc::model {

// What the class has where a file says nothing: a number, or one for each stage.
struct ClassDefault {
  std::array<int64_t, 4> stages{};

  constexpr ClassDefault(int64_t only = 0) : stages{only} {}
  constexpr ClassDefault(int64_t a, int64_t b, int64_t c = 0, int64_t d = 0) : stages{a, b, c, d} {}
};

// A fact that keys give, or the class.
struct FactFromKeys {
  std::string_view name{};
  Keys keys{};
  ClassDefault otherwise{};
  bool last = false;  // of several stages, the last one's
};

// The scheme of the library that a row describes; its numbers are the facts "dim", "temperature",
// "rows_per_axis" and "columns_per_axis".
enum class Computed : uint8_t {
  no,
  pairs,     // sinusoids, sines and cosines in turn: of rows, then of columns (DETR)
  quarters,  // sinusoids, sines, then cosines: of rows, then of columns
  sum,       // tables of the two coordinates, summed
  beside,    // tables of columns and of rows, side by side
  grounded,  // pairs, or beside with 50 rows, as position_embedding_type says (Grounding DINO)
  segments,  // buckets inside segments, pairs of them (CPM-Ant): "num_buckets", "max_distance",
             // "heads", "segment_types"
  clipped,   // a bias for each distance (Phi-4's sounds): "heads", "max_distance"
  random,    // Fourier features (SAM): half of "hidden" frequencies
  boxes,     // sinusoids of pairs of boxes (PP-DocLayoutV2): "heads", "dim", "base", "scale"
};

// What a model has itself. A scheme "learned" is a table: its first two facts are rows and dim.
struct ComponentRow {
  std::string_view where{}, scheme{}, positions{};
  std::array<FactFromKeys, 4> facts{};
  std::string_view note{}, weights{}, trap{};
  bool own = false;  // it is called so inside other models too
  Computed computed = Computed::no;
  std::string_view inside{};  // the configuration that has the keys, where it is inside: "a.b"
};

// A configuration inside, read by the rule of its type.
struct SubConfigRow {
  std::string_view key, where;
  std::string_view type;      // where it does not say
  std::string_view prefix{};  // of its weights
};

// What turns by one number, as the row's rope says.
struct FrameRopeRow {
  std::string_view where{}, positions{};
  std::string_view trap{};
  // The features that turn; null: as `rope` says.
  int64_t (*turning)(const Config& config) = nullptr;
};

// Ways to order sinusoids and patches that several rows name.
inline constexpr std::string_view detr_order =
    "y half then x half; inside each, sin/cos interleaved";
inline constexpr std::string_view quarters_order =
    "[y sin|y cos|x sin|x cos], quarter each, frequencies temperature^(-i/(d/4)), from 0";
inline constexpr std::string_view patch_grid = "rows and columns of patches";

}  // namespace posenc::model
