// model_row.h: all that is known of the models of a type, in one row.
//
//   {.types = "moshi", .window = {.everywhere = true},
//    .sub_configs = {{"audio_encoder_config", "codec", "mimi"}}},
//
// A row names its types as configurations do, several with blanks between, and says what differs
// from the defaults below. What is in class_defaults.inc is not said again.
#pragma once

#include <span>

#include "model/families/component_row.h"
#include "model/families/layer_kinds.h"

namespace posenc::model {

// Which layers turn; nothing: only where a key says so.
enum class TurningLayers : uint8_t { attention, sliding_only, full_only, nothing };

// Sliding layers with a base of their own.
struct LocalRule {
  std::string_view full_key{}, key{};  // of the bases; full_key empty: rope_theta
  double full_base = 0, base = 10000;  // where no key gives them
  bool scaled = false;                 // rope_scaling is for sliding layers too
};

// By how much the first coordinate grows in a second of a film or a sound.
struct TimeRate {
  std::string_view key{};
  int64_t otherwise = 0;
  std::string_view inside{};  // the configuration that has the key, where it is inside
};

// What the parts of a model are where their configurations do not say, or say the name of the
// whole, beside what class_defaults.inc has. "_text" is the name of the whole with that ending.
struct Joint {
  std::string_view text{}, vision{}, audio{};
  bool flat = false;          // keys of the text may stand at the top
  std::string_view prefix{};  // of the picture encoder's weights
  std::string_view filled{};  // a text of this type has gaps that the whole fills: it is `text`
  TimeRate rate{};
  std::string_view decoder{};  // the other side of a text, where it differs from it
};

struct ModelRow;
using ModelReader = void(const Reading& reading, const ModelRow& row);

struct ModelRow {
  std::string_view types;
  std::string_view where = "text";  // what its components are called where it stands alone

  // A text, or frames, that turn.
  RopeRule rope{};
  LayerRule layers{};
  TurningLayers turns = TurningLayers::attention;
  LocalRule local{};
  WindowRule window{};

  // What an encoder adds, or a text without a turn.
  TableRow table{};
  SinusoidRow sinusoids{};
  PatchRow patches{};
  ConvolutionRow convolution{};

  BiasRow bias{};  // beside them, or alone

  // A picture whose patches turn.
  GridRow grid{};

  ModelReader* read = nullptr;  // else by its table, or as others of its group are read
  std::string_view trap{};
  Joint joint{};

  // What is read after that.
  Few<SubConfigRow, 5> sub_configs{};
  void (*more)(const Reading& reading) = nullptr;
  FrameRopeRow frame_rope{};
  Few<ComponentRow, 3> components{};

  std::string_view idle{};  // keys that the code reads and that say nothing beside others
};

// Rows of one kind, and how those without a reader of their own are read.
struct RowGroup {
  std::vector<std::span<const ModelRow>> lists;
  ModelReader* read;
  void (*also)(const Reading& reading) = nullptr;  // done after each
};
const RowGroup& text_rows();   // decoders and encoders of text that turn or bias
const RowGroup& part_rows();   // tables, pictures, sound, and whatever else is of one part
const RowGroup& joint_rows();  // several models in one: their parts are read in turn
// In the order in which types are looked for.
std::array<const RowGroup*, 3> row_groups();

// What the class of the type fills in, or where that has none, that of the first of these names.
struct ClassKeys {
  Json keys{};
  std::string_view rope{};  // rope_parameters, as JSON, that are read before a rope_theta
  Json written() const;     // with rope_parameters as the class writes them into every file
};
ClassKeys class_keys(std::string_view types, std::string_view type);
// The row with what the class has, where it says nothing itself.
ModelRow with_class(ModelRow row, const ClassKeys& otherwise);
// Reads what the row says: by its reader or this one, then its parts. Throws Error where that comes
// to nothing.
void read_row(const Reading& reading, const ModelRow& row, ModelReader* otherwise);
// The bias that the row has.
void add_bias(const Reading& reading, const ModelRow& row);
// A component that the row of a whole describes, or of a part.
void add_component(const Reading& reading, const ComponentRow& part);
ModelReader read_parts_alone;  // what the row says of parts, and nothing before it
ModelReader read_joint;        // the text, pictures and sound of a model of several
ModelReader read_table, read_sinusoids, read_patches, read_convolution, read_grid;

// How many patches a picture has along each side.
Sides patches_of(const Config& config, const PatchRow& row, Keys patch_keys = "patch_size");

}  // namespace posenc::model
