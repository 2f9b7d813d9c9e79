// window.cc: entries of the table of a window.
#include "posenc/relative/window.h"

#include "relative/formula.h"

namespace posenc {

Fields WindowBias::fields() {
  using S = WindowBias;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"height", &S::height, "rows of tokens in the window"},
          {"width", &S::width, "tokens in a row"},
          {"table", &S::table, "how offsets are counted and the table is laid out"}};
}

std::vector<Preset<WindowBias>> WindowBias::presets() {
  return {
      {"swin", "Swin tiny, first stage", {}},
      {"beit", "BEiT base", {.heads = 12, .height = 14, .width = 14, .table = WindowTable::beit}},
      {"levit", "LeViT-256", {.heads = 4, .height = 14, .width = 14, .table = WindowTable::levit}},
      {"maxvit", "MaxViT tiny", {.heads = 2, .table = WindowTable::maxvit}}};
}

void WindowBias::check() const {
  check_size(name, "heads", heads);
  check_window(name, window());
}

int64_t WindowBias::entries() const { return WindowEntries{window(), table}.count(); }

int64_t WindowBias::entry(int64_t query, int64_t key) const {
  return WindowEntries{window(), table}.entry(query, key);
}

std::vector<Weight> WindowBias::weights() const {
  if (table == WindowTable::levit) return {{"table", {heads, entries()}, 0, 0.02}};
  if (table == WindowTable::maxvit)
    return {{"table", {heads, 2 * height - 1, 2 * width - 1}, 0, 0.02}};
  return {{"table", {entries(), heads}, 0, 0.02}};
}

BiasFormula WindowBias::formula(const WeightValues& weights) const {
  const bool by_head = table == WindowTable::levit || table == WindowTable::maxvit;
  const forms::BiasTable<forms::Same> form{{}, by_head ? entries() : 1, by_head ? 1 : heads};
  return {Reads::entry, true, form, weights, {window(), table}};
}

}  // namespace posenc
