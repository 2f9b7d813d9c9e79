// offsets.h: offsets between two tokens of a window, and which entry of its table they read.
#pragma once

#include "base/both.h"
#include "posenc/relative/window.h"

namespace posenc {

struct Offset {
  int64_t dy, dx;
};
POSENC_BOTH inline Offset offset_between(WindowSize w, int64_t from, int64_t to) {
  return {to / w.width - from / w.width, to % w.width - from % w.width};
}

// Offsets counted row by row, the most negative first; and back.
POSENC_BOTH inline int64_t index_of(WindowSize w, Offset d) {
  return (d.dy + w.height - 1) * (2 * w.width - 1) + d.dx + w.width - 1;
}
inline Offset offset_of(WindowSize w, int64_t index) {
  const int64_t across = 2 * w.width - 1;
  return {index / across - w.height + 1, index % across - w.width + 1};
}

struct WindowEntries {
  WindowSize size{};
  WindowTable table{};

  bool has_class() const { return table == WindowTable::beit; }
  int64_t tokens() const { return size.tokens() + (has_class() ? 1 : 0); }
  int64_t count() const {
    return table == WindowTable::levit ? size.tokens() : size.offsets() + (has_class() ? 3 : 0);
  }
  POSENC_BOTH int64_t entry(int64_t query, int64_t key) const {
    if (table == WindowTable::beit) {
      const int64_t last = index_of(size, {size.height - 1, size.width - 1});
      if (query == 0 || key == 0) return last + (query != 0 ? 2 : key != 0 ? 1 : 3);
      --query, --key;
    }
    const Offset d = table == WindowTable::maxvit ? offset_between(size, query, key)
                                                  : offset_between(size, key, query);
    if (table != WindowTable::levit) return index_of(size, d);
    return (d.dy < 0 ? -d.dy : d.dy) * size.width + (d.dx < 0 ? -d.dx : d.dx);
  }
};

// Throws Error unless both sides are at least 1 and the table stays within reason.
inline void check_window(std::string_view scheme, WindowSize w) {
  constexpr int64_t most = 1024;
  if (w.height < 1 || w.width < 1 || w.height > most || w.width > most)
    fail(scheme, "expected height and width from 1 to ", most, ", got ", w.height, " and ",
         w.width);
}

}  // namespace posenc
