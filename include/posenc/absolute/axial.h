// axial.h: trained tables of the axes of a position, side by side or summed.
//
//   concat   [t0[p of its axis] | t1[p of its axis] | ...]     Reformer, Florence-2, LayoutLMv3
//   sum       t0[p of its axis] + t1[p of its axis] + ...      LayoutLM, NaFlex, NaViT
//
// Block b reads axis block_axes[b] in table block_tables[b]; two blocks may share a table, as both
// x coordinates of a box do. boxes() in posenc/positions/boxes.h makes such positions.
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
  int64_t axes() const { return blocks(); }  // block_axes is an order of them
  std::vector<Weight> weights() const;

  int64_t blocks() const;
  int64_t block_axis(int64_t block) const;
  int64_t block_table(int64_t block) const;
  int64_t table_columns(int64_t table) const;
  std::vector<Lookup> lookups() const;
};

}  // namespace posenc
