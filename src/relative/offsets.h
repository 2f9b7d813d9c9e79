// offsets.h: offsets between two tokens of a window.
#pragma once

#include "posenc/relative/window.h"

namespace posenc {

struct Offset {
  int64_t dy, dx;
};
inline Offset offset_between(WindowSize w, int64_t from, int64_t to) {
  return {to / w.width - from / w.width, to % w.width - from % w.width};
}

// Offsets counted row by row, the most negative first; and back.
inline int64_t index_of(WindowSize w, Offset d) {
  return (d.dy + w.height - 1) * (2 * w.width - 1) + d.dx + w.width - 1;
}
inline Offset offset_of(WindowSize w, int64_t index) {
  const int64_t across = 2 * w.width - 1;
  return {index / across - w.height + 1, index % across - w.width + 1};
}

// Throws Error unless both sides are at least 1 and the table stays within reason.
inline void check_window(std::string_view scheme, WindowSize w) {
  constexpr int64_t most = 1024;
  if (w.height < 1 || w.width < 1 || w.height > most || w.width > most)
    fail(scheme, "expected height and width from 1 to ", most, ", got ", w.height, " and ",
         w.width);
}

}  // namespace posenc
