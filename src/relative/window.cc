// window.cc: entries of the table of a window.
#include "posenc/relative/window.h"

#include <cstdlib>

#include "relative/offsets.h"
#include "relative/table.h"

namespace posenc {

Fields WindowBias::fields() {
  using S = WindowBias;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"height", &S::height, "rows of tokens in the window"},
          {"width", &S::width, "tokens in a row"},
          {"table", &S::table, "how offsets are counted and the table lies"}};
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

int64_t WindowBias::entries() const {
  if (table == WindowTable::levit) return window().tokens();
  return window().offsets() + (table == WindowTable::beit ? 3 : 0);
}

int64_t WindowBias::entry(int64_t query, int64_t key) const {
  if (table == WindowTable::beit) {
    if (query == 0 || key == 0) return entries() - (query != 0 ? 2 : key != 0 ? 3 : 1);
    --query, --key;
  }
  const Offset d = table == WindowTable::maxvit ? offset_between(window(), query, key)
                                                : offset_between(window(), key, query);
  if (table == WindowTable::levit) return std::abs(d.dy) * width + std::abs(d.dx);
  return index_of(window(), d);
}

std::vector<Weight> WindowBias::weights() const {
  if (table == WindowTable::levit) return {{"table", {heads, entries()}, 0, 0.02}};
  if (table == WindowTable::maxvit)
    return {{"table", {heads, 2 * height - 1, 2 * width - 1}, 0, 0.02}};
  return {{"table", {entries(), heads}, 0, 0.02}};
}

BiasFormula WindowBias::formula(const WeightValues& weights) const {
  BiasFormula out{Reads::entry, true};
  out.tokens = tokens(), out.entries = entries();
  out.entry = [s = *this](int64_t query, int64_t key) { return s.entry(query, key); };
  const bool by_head = table == WindowTable::levit || table == WindowTable::maxvit;
  const int64_t head_step = by_head ? entries() : 1, step = by_head ? 1 : heads;
  read_table(out, weights[0], [head_step, step](int64_t head, double, double entry) {
    return head * head_step + static_cast<int64_t>(entry) * step;
  });
  return out;
}

}  // namespace posenc
