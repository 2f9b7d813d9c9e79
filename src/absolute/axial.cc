// axial.cc: trained tables of the axes of a position, side by side or summed.
#include "posenc/absolute/axial.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "orders/lookup.h"

namespace posenc {
namespace {

int64_t entry(const std::vector<double>& list, int64_t i, int64_t otherwise) {
  return list.empty() ? otherwise : static_cast<int64_t>(list[static_cast<size_t>(i)]);
}

void check_whole(std::string_view option, const std::vector<double>& list, int64_t low,
                 int64_t high) {
  for (double v : list)
    if (!(v >= static_cast<double>(low) && v <= static_cast<double>(high)) || v != std::floor(v))
      fail(Axial::name, "expected ", option, " that are whole numbers from ", low, " to ", high,
           ", got ", v);
}

}  // namespace

Fields Axial::fields() {
  using S = Axial;
  return {{"dim", &S::dim, "columns: the size of the embedding"},
          {"rows", &S::rows, "rows of each table"},
          {"combine", &S::combine, "blocks side by side, or summed"},
          {"shares", &S::shares, "concat: how tables share the columns; equally unless given"},
          {"block_axes", &S::block_axes, "the axis each block reads; 0, 1, ... unless given"},
          {"block_tables", &S::block_tables, "the table each block reads; 0, 1, ... unless given"}};
}

std::vector<Preset<Axial>> Axial::presets() {
  using S = Axial;
  const std::vector<double> box(4, 1024), box_tables{0, 1, 0, 1, 2, 3};
  return {
      {"reformer", "Reformer: 64 x 64 places, 64 + 192 columns", S{.shares = {1, 3}}},
      {"florence2", "Florence-2: columns of the image, then its rows",
       S{.dim = 1024, .rows = {50, 50}, .block_axes = {1, 0}}},
      {"detr-learned", "DETR with learned positions: columns of the image, then its rows",
       S{.dim = 256, .rows = {50, 50}, .block_axes = {1, 0}}},
      {"naflex", "timm's NaFlex ViT, factorised: rows and columns summed",
       S{.dim = 768, .rows = {16, 16}, .combine = Combine::sum}},
      {"layoutlm", "LayoutLM: x, y, x, y, height and width of a box summed",
       S{.dim = 768, .rows = box, .combine = Combine::sum, .block_tables = box_tables}},
      {"layoutlmv3", "LayoutLMv2, LayoutLMv3: x, y, x, y, height and width of a box side by side",
       S{.dim = 768, .rows = box, .block_tables = box_tables}}};
}

int64_t Axial::blocks() const {
  return block_tables.empty() ? std::ssize(rows) : std::ssize(block_tables);
}
int64_t Axial::block_axis(int64_t block) const { return entry(block_axes, block, block); }
int64_t Axial::block_table(int64_t block) const { return entry(block_tables, block, block); }
int64_t Axial::table_columns(int64_t table) const {
  if (combine == Combine::sum) return dim;
  int64_t all = 0;
  for (int64_t b = 0; b < blocks(); ++b) all += entry(shares, block_table(b), 1);
  return dim * entry(shares, table, 1) / std::max<int64_t>(all, 1);
}

void Axial::check() const {
  check_size(name, "dim", dim);
  if (rows.empty() || blocks() < 1 || blocks() > max_axes)
    fail(name, "expected rows of 1 to ", max_axes, " tables, got ", rows.size());
  check_whole("rows", rows, 1, max_size);
  check_whole("block_tables", block_tables, 0, std::ssize(rows) - 1);
  check_whole("block_axes", block_axes, 0, blocks() - 1);
  std::vector<bool> seen(static_cast<size_t>(blocks()));
  if (!block_axes.empty() && std::ssize(block_axes) != blocks())
    fail(name, "expected block_axes for ", blocks(), " blocks, got ", block_axes.size());
  for (int64_t b = 0; b < blocks(); ++b) seen[static_cast<size_t>(block_axis(b))] = true;
  if (std::find(seen.begin(), seen.end(), false) != seen.end())
    fail(name, "expected block_axes with each axis from 0 to ", blocks() - 1, " once, got ",
         text::write(block_axes));
  check_whole("shares", shares, 1, max_size);
  if (combine == Combine::sum && !shares.empty())
    fail(name, "expected no shares where blocks are summed, got ", text::write(shares));
  if (!shares.empty() && shares.size() != rows.size())
    fail(name, "expected shares for ", rows.size(), " tables, got ", shares.size());
  int64_t all = 0;
  for (int64_t b = 0; b < blocks(); ++b) all += table_columns(block_table(b));
  if (combine == Combine::concat && all != dim)
    fail(name, "expected blocks that have ", dim, " columns together, got ", all);
}

std::vector<Weight> Axial::weights() const {
  std::vector<Weight> out;
  for (int64_t t = 0; t < std::ssize(rows); ++t)
    out.push_back({"table" + std::to_string(t), {entry(rows, t, 0), table_columns(t)}, 0, 0.02});
  return out;
}

std::vector<Lookup> Axial::lookups() const {
  std::vector<Lookup> out;
  int64_t column = 0;
  for (int64_t b = 0; b < blocks(); ++b) {
    Lookup block;
    block.weight = static_cast<int>(block_table(b)), block.axis = static_cast<int>(block_axis(b));
    block.rows = entry(rows, block.weight, 0), block.columns = table_columns(block.weight);
    block.column = column;
    if (combine == Combine::concat) column += block.columns;
    out.push_back(block);
  }
  return out;
}

}  // namespace posenc
