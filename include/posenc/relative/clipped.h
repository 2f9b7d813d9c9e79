// clipped.h: a learned bias for each distance; larger distances share the last one.
//
//   r = key - query     full        r in [-M, M]       row r + M     2 M + 1 rows
//                       half-open   r in [-M, M - 1]   row r + M     2 M rows
//                       symmetric   |r| in [0, M - 1]  row |r|       M rows
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

enum class ClippedForm : uint8_t { full, half_open, symmetric };
constexpr auto enum_names(ClippedForm) { return names({"full", "half-open", "symmetric"}); }

struct Clipped {
  static constexpr std::string_view name = "clipped";
  static constexpr std::string_view about = "a learned bias for each distance up to a farthest one";
  static constexpr std::string_view used_by = "Phi-4 multimodal (audio)";

  int64_t heads = 8;
  int64_t max_distance = 128;
  ClippedForm form = ClippedForm::full;

  static Fields fields();
  static std::vector<Preset<Clipped>> presets();
  void check() const;
  int64_t rows() const;
  int64_t row(int64_t key_minus_query) const;
  std::vector<Weight> weights() const { return {{"table", {rows(), heads}, 0, 0.02}}; }
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
