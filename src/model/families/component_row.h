// component_row.h: what a model's row says of its parts: tables, those inside it, what each has.
//
//   .sub_configs = {{"backbone_config", "vision", "rt_detr_resnet"}},   a part with its own rule
//   .components = {{.where = "encoder", .scheme = "sinusoidal-2d",
//                   .facts = {{{"dim", "d_model", 256}}}}}
#pragma once

#include <array>

#include "model/families/parts.h"

namespace posenc::model {

// Up to `most` of something, inside the row: rows are constants, and no code fills them.
template <class T, size_t most>
struct Few {
  T items[most]{};
  size_t count = 0;

  constexpr Few() = default;
  constexpr Few(std::initializer_list<T> some) {
    for (const T& item : some) items[count++] = item;
  }
  const T* begin() const { return items; }
  const T* end() const { return items + count; }
};

// What the class has where a file says nothing: a number, or one for each stage.
struct ClassDefault {
  std::array<int32_t, 4> stages{};

  constexpr ClassDefault(int32_t only = 0) : stages{only} {}
  constexpr ClassDefault(int32_t a, int32_t b, int32_t c = 0, int32_t d = 0) : stages{a, b, c, d} {}
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

// Which row of a table, or number, is the first token's.
enum class FirstRow : uint8_t {
  none,      // there is no table
  first,     // 0
  third,     // 2, of a table with two rows more than positions
  unmasked,  // the same, counting only tokens that are not masked
  padding,   // the one after that of padding, counting only tokens that are no padding
};

// One trained table for the tokens of a text, or one for each side.
struct TableRow {
  std::string_view weight{};
  FirstRow start = FirstRow::none;
  Keys length_keys = "max_position_embeddings n_positions";
  Keys width_keys = "hidden_size d_model dim";
  int64_t length = 0, width = 0;  // 0: as class_defaults.inc has them
  int64_t pad = 1;
  bool pad_key = true;  // false: the code has `pad`, whatever pad_token_id says
  Keys decoder_keys{};  // of the length, where the decoder's is another
};

// Fixed sinusoids, sines before cosines, for the tokens of a text or of both sides.
struct SinusoidRow {
  FirstRow start = FirstRow::none;
  bool to_base = true;    // the last frequency is 1/10000; otherwise the paper's rule
  bool pad_rows = false;  // the table has a row more for each token up to that of padding
};

// A trained table for the patches of a picture.
struct PatchRow {
  std::string_view weight{};
  int64_t prefix = 0;  // tokens without a place, before the patches
  Keys prefix_key{};   // that says how many
  bool cells = false;  // patches find their row by their fractions of the picture's sides
  Keys picture_keys = "image_size image_default_input_size";
  Sides picture{};  // 0: as class_defaults.inc has them
  int64_t patch = 0, width = 0;
  Keys grid_keys{};  // of the patches along the sides themselves: of both, or of one and the other
  std::string_view trap{};
};

// Which pairs of a head turn by which of two coordinates.
enum class GridPairs : uint8_t {
  halves,   // the first half by the first one; both halves have the same frequencies
  dealt,    // in turn, with the frequencies of a text dealt out to both
  in_turn,  // in turn, two of the same frequency
};

// Queries and keys of a picture ("vision") that turn by two coordinates of a patch. A table that
// the row has too comes first: `.table` is a square grid that all pictures share, `.patches` that
// of the pictures of training.
struct GridRow {
  std::string_view coordinates{};  // "row and column"; empty: nothing turns
  GridPairs pairs = GridPairs::halves;
  Layout layout = Layout::half;
  bool base_beside = true;    // rope_theta counts beside rope_parameters too
  Unit unit = Unit::radians;  // of frequencies
  int64_t offset = 0;         // of coordinates
  bool merged = false;        // patches come block by block
  Keys width_keys = "hidden_size";
  Keys head_keys = "num_attention_heads";  // empty: the whole width turns
  bool own_head = true;                    // head_dim counts where it is there
  bool kinds = false;                      // layer_types says which layers turn
  bool class_last = false;  // the table is behind, and its last row is the class token's
  Few<std::pair<std::string_view, std::string_view>, 2> facts{};
  void (*more)(const Config& config, Facts& facts) = nullptr;  // facts, and notes of its own
  std::string_view trap{};
};

// A grouped convolution over the frames of a sound, added to them.
struct ConvolutionRow {
  int64_t kernel = 0;  // 0: there is none
  int64_t layers = 0;  // 0: one, whose kernel the key gives; otherwise the key gives their number
  int64_t stride = 1;  // more: it also makes the sequence shorter, by squeeze_factor
  bool batch_norm = false;  // where conv_pos_batch_norm asks for it
};

// Which sides have a bias: the part as it is, a decoder, or an encoder and a decoder.
enum class BiasSides : uint8_t { one, decoder, both };

// T5's bias: a number for each head and bucket of distances.
struct BiasRow {
  std::string_view weight{};  // empty: there is none; of two sides, what follows their names
  BiasSides sides = BiasSides::one;
  Keys head_keys = "num_attention_heads";
  Keys bucket_key = "relative_attention_num_buckets";
  Keys distance_key = "relative_attention_max_distance";  // empty: the code has T5's
  int64_t fixed = 0;         // the code has so many buckets, whatever the key says
  bool every_layer = false;  // has a table of its own
  bool gated = false;        // by queries (WavLM)
};

// Ways to order sinusoids and patches that several rows name.
inline constexpr std::string_view detr_order =
    "y half then x half; inside each, sin/cos interleaved";
inline constexpr std::string_view quarters_order =
    "[y sin|y cos|x sin|x cos], quarter each, frequencies temperature^(-i/(d/4)), from 0";
inline constexpr std::string_view patch_grid = "rows and columns of patches";

// Sinusoids of a map's rows and columns, as DETR's.
constexpr ComponentRow detr_map(std::string_view where, std::string_view width_keys,
                                std::string_view inside = {}) {
  return {.where = where,
          .scheme = "sinusoidal-2d",
          .positions = "rows and columns, from 1, divided by the last, times 2 pi",
          .facts = {{{"dim", width_keys}}},
          .note = detr_order,
          .own = true,
          .computed = Computed::pairs,
          .inside = inside};
}

}  // namespace posenc::model
