// learned.h: a trained table of rows, one per position (BERT, GPT-2, ViT, ...).
//
//   row(p) = scale * gate(alpha) * table[p + offset]
//
// Models differ in the row that the first token reads: BART and OPT skip two rows, RoBERTa counts
// from padding_idx + 1. That is `offset`; rows - offset positions are usable, and other positions
// are an error, never an out-of-bounds read.
//
// alpha exists only with learned_scale. Mllama's tables of tiles have the gate tanh(alpha), and its
// table of patches has the gate 1 - tanh(alpha), with the alpha of the table of tiles and patches.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Gate : uint8_t { linear, tanh, rest };
constexpr auto enum_names(Gate) { return names({"linear", "tanh", "rest"}); }

struct Learned {
  static constexpr std::string_view name = "learned";
  static constexpr std::string_view about = "a trained table of rows, one per position";
  static constexpr std::string_view used_by =
      "BERT, GPT-2, RoBERTa, XLM-R, BART, OPT, Mllama (Llama 3.2 Vision), Abacus";

  int64_t dim = 768;
  int64_t rows = 512;
  int64_t offset = 0;
  std::optional<int64_t> padding{};
  double scale = 1;
  bool learned_scale = false;
  Gate gate = Gate::linear;

  static Fields fields();
  static std::vector<Preset<Learned>> presets();
  void check() const;
  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const;

  double gate_of(double alpha) const;
  double gate_slope(double alpha) const;  // its derivative
};

}  // namespace posenc
