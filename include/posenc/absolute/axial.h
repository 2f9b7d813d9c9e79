// axial.h: a trained table for each axis of a position, concatenated or summed.
//
//   concat   [t0[p of its axis] | t1[p of its axis] | ...]     Reformer, Florence-2, LayoutLMv3
//   sum       t0[p of its axis] + t1[p of its axis] + ...      LayoutLM, NaFlex, NaViT
//
// Block b reads table block_tables[b] at the position on axis block_axes[b]. Two blocks may share a
// table, like the two x coordinates of a box. boxes() in posenc/positions/boxes.h makes these.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Combine : uint8_t { concat, sum };
constexpr auto enum_names(Combine) { return names({"concat", "sum"}); }

struct Lookup;

struct Axial {
  static constexpr std::string_view name = "axial";
  static constexpr std::string_view about = "trained tables of the axes, side by side or summed";
  static constexpr std::string_view used_by =
      "Reformer, Florence-2, DETR (learned), NaFlex ViT, LayoutLM 1 to 3";

  int64_t dim = 256;
  std::vector<double> rows{64, 64};
  Combine combine = Combine::concat;
  std::vector<double> shares{};
  std::vector<double> block_axes{}, block_tables{};

  static Fields fields();
  static std::vector<Preset<Axial>> presets();
  void check() const;
  int64_t axes() const { return blocks(); }  // block_axes is a permutation of them
  std::vector<Weight> weights() const;

  int64_t blocks() const;
  int64_t block_axis(int64_t block) const;
  int64_t block_table(int64_t block) const;
  int64_t table_columns(int64_t table) const;
  std::vector<Lookup> lookups() const;
};

}  // namespace posenc
