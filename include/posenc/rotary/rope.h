// rope.h: rotary position embedding (Su et al., 2021) and all conventions derived from it.
//
// Pair k of every query and key is rotated by the angle position * w_k, w_k = base^(-2k/D), so the
// dot product of a query and a key depends only on their distance. D of the head's `dim` features
// are rotated, starting at rotary_offset; the rest are unchanged:
//
//   dim 8, rotary_dim 4, rotary_offset  0      x x x x - - - -     the usual part
//                        rotary_offset -4      - - - - x x x x     the last part
//                        rotary_offset  2      - - x x x x - -
//
// Options: which features form a pair (layout, blocks), the direction of rotation (sign), which
// coordinate rotates a pair (axes), and rope scaling (scaling).
#pragma once

#include "posenc/layout.h"
#include "posenc/rotary/axes.h"
#include "posenc/rotary/frequency_source.h"
#include "posenc/rotary/magnitude.h"
#include "posenc/rotary/phases.h"
#include "posenc/rotary/scaling.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Sign : uint8_t { positive, negative };
constexpr auto enum_names(Sign) { return names({"positive", "negative"}); }

struct Rope {
  static constexpr std::string_view name = "rope";
  static constexpr std::string_view about = "queries and keys rotated by angles of the position";
  static constexpr std::string_view used_by =
      "RoFormer, Llama, Mistral, Qwen, Gemma, DeepSeek, gpt-oss, GPT-NeoX, GPT-J, Phi; in images "
      "and videos Qwen2-VL, Pixtral, DINOv3, EVA-02, SAM 2, V-JEPA 2";

  int64_t dim = 128;
  std::optional<Layout> layout{};  // no default: must be given
  double base = 10000;
  std::optional<int64_t> rotary_dim{};
  int64_t rotary_offset = 0;
  std::optional<int64_t> rotary_heads{};
  int64_t first_head = 0;
  int64_t blocks = 1;
  Sign sign = Sign::positive;
  int64_t offset = 0;
  FrequencySource frequencies = Powers{};
  Scaling scaling = NoScaling{};
  AxisRule axes = OneAxis{};
  Phases phases = NoPhases{};
  Decay decay = NoDecay{};
  Temperature temperature = NoTemperature{};
  Numerics numerics = Numerics::exact;

  static Fields fields();
  static std::vector<Preset<Rope>> presets();

  int64_t turning() const { return rotary_dim.value_or(dim); }
  int64_t pairs() const { return turning() / 2; }
  int64_t first_feature() const { return rotary_offset < 0 ? dim + rotary_offset : rotary_offset; }
  int64_t axis_count() const;  // coordinates of a token
  int64_t row_heads() const;   // heads with separate frequencies, phases or mixtures, or 1
  void check() const;
  std::vector<Weight> weights() const;
};

}  // namespace posenc
