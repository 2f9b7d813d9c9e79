// parts.h: what the rules of families read sizes and build components with.
#pragma once

#include <string>
#include <vector>

#include "model/families/families.h"

namespace posenc::model {

// Keys of one meaning, several with blanks between; the first that is there is taken.
using Keys = std::string_view;

// A size of 1 to 2^20, or a length of 1 to 2^40. Where the file says nothing, it is `otherwise`, or
// what class_defaults.inc has for the model's class, and is told as assumed; where that has nothing
// either, absence is an Error.
int64_t size_of(const Config& config, Keys keys, int64_t otherwise = 0);
int64_t length_of(const Config& config, Keys keys, int64_t otherwise = 0);
// A number of 0 and more: the id of a token, a count that may be none.
int64_t count_of(const Config& config, Keys keys, std::optional<int64_t> otherwise = {});
double positive_of(const Config& config, Keys keys, double otherwise = 0);
// What the class has for the first of the keys that it knows; null where it has nothing.
const Json* class_value(const Config& config, Keys keys);
std::optional<double> class_number(const Config& config, Keys keys);
// The same for a list: one size for each entry.
std::vector<int64_t> sizes_of(const Config& config, Keys keys, std::vector<int64_t> otherwise = {});
std::vector<double> as_list(const std::vector<int64_t>& sizes);

// What a head has of the width; an Error where the heads do not divide it.
int64_t head_size(const Config& config, int64_t width, int64_t heads);

// The sides of a picture, a patch or a window: 224, or [224, 160].
struct Sides {
  int64_t height = 0, width = 0;
  constexpr bool operator==(const Sides&) const = default;
  std::vector<int64_t> whole() const { return {height, width}; }
  std::vector<double> list() const;
};
Sides sides_of(const Config& config, Keys keys, Sides otherwise = {});
// How many patches a picture has along each side.
Sides grid_of(const Config& config, Sides picture, Sides patch);

// Frames, rows and columns of a piece of a film.
std::vector<int64_t> tube_of(const Config& config);

// The base of a RoPE that knows no rules for long texts: in rope_parameters, or beside them.
double plain_base(const Config& config, double otherwise = 0);

// A component that is told so, without a scheme of the library yet.
Component described(std::string_view scheme, Facts facts, std::string positions);
// A component with a scheme of the library, which must accept its numbers.
Component with_scheme(Component component, const Scheme& scheme);

// A trained table.
struct TrainedTable {
  int64_t rows, dim;
  int64_t offset = 0;                // the row of the first token
  std::optional<int64_t> padding{};  // the row of padding tokens
  std::string weight{};
  std::string positions = "from 0";
};
Component learned_table(const TrainedTable& table);
// A trained table for the patches of a picture, after some rows for tokens without a place.
Component patch_table(Sides grid, int64_t prefix, int64_t dim, std::string weight);
// Tables of columns and of rows, side by side, of positions (row, column): DETR, Florence-2.
Axial columns_then_rows(int64_t dim, Sides rows);
// Sinusoids of rows, then of columns; the models' code takes whole pairs on both axes.
GridSinusoidal rows_then_columns(int64_t dim, GridOrder order, double base = 10000);
// Whether position_embedding_type says learned, not sine.
bool is_learned(const Config& config);
// DETR's, of 50 rows each, for position_embedding_type "learned".
Component learned_places(int64_t width);
// A fixed table; rows: 0 where it has no end.
Component sinusoidal_table(const Sinusoidal& scheme, int64_t rows, std::string positions);
// Sines, then cosines, to a last frequency of 1/10000: tensor2tensor, fairseq, Whisper.
Sinusoidal whisper_waves(int64_t width);
// A row of features for each distance, of which queries read one; `more` are other facts.
Component distance_rows(const Shaw& shaw, Facts more,
                        std::string positions = "distances between tokens");
// Transformer-XL's terms, of sinusoids over the whole width; `more` are facts beside its sizes.
Component recurrent_terms(const TransformerXl& scheme, std::string_view order, Facts more,
                          std::string positions);
// T5's bias.
Component bucket_bias(const T5Bias& bias, std::string weight);

// Half of the pairs for each of two coordinates, with equal frequencies.
Rope on_grid(int64_t dim, double base, Layout layout);
Component turned(const Rope& rope, const Facts& more, std::string positions);
// ", block by block of merged patches": what is said of positions where patches come so.
std::string by_blocks(bool merged);

// Tells of a table whose first two rows are no positions.
void tell_extra_rows(const Reading& reading);

// Adds the turn of what a tracker remembers (SAM 2), or of sounds by their time (MusicFlamingo).
void add_memory_turn(const Reading& reading);
void add_time_turn(const Reading& reading);

// Adds DeBERTa's terms; with buckets from version 2 on. The rest is what the class has.
struct Disentangled {
  bool buckets;
  std::string_view terms{}, norm = "none";
  bool shares_keys = false;
};
void add_disentangled(const Reading& reading, const Disentangled& otherwise);

// The same part under another name: what a configuration of a picture encoder is called when it
// stands alone.
Reading named(const Reading& reading, std::string_view where);

// Whether the configuration is for a model with a class of that kind: "EncoderModel".
bool has_architecture(const Config& config, std::string_view ending);

// A part inside, read by the rule of its type, or of `otherwise` where it says none; `prefix` is
// put before the names of its weights. Where no rule covers it, that is what is told of it.
void read_beside(const Reading& outer, Config::Names keys, std::string_view where,
                 std::string_view otherwise, std::string_view prefix = "");

// Reads the text of a model of several, under its keys or, where `flat`, at the top. A text that
// says nothing of its type, or that it is `filled`, is `otherwise`.
void read_joint_text(const Reading& reading, std::string_view otherwise, bool flat,
                     std::string_view filled = "");
// Puts the name of the part before the names of its weights, from the first component on.
void prefix_weights(const Reading& reading, size_t first, std::string_view prefix);

// Tells by how much the first coordinate grows in a second of a film or a sound.
void add_time_rate(const Reading& reading, const Config& config, std::string_view key,
                   int64_t otherwise);

}  // namespace posenc::model
