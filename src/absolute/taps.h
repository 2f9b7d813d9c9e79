// taps.h: which rows of a table a row of a resized one is made of.
#pragma once

#include "posenc/absolute.h"

namespace posenc {

// Up to four source rows and their weights.
struct Taps {
  int count = 0;
  int64_t row[4] = {};
  double weight[4] = {};
  void add(int64_t r, double w) { row[count] = r, weight[count++] = w; }
};

// Row t of `to` rows made of `from` rows.
Taps taps_of(Resize how, int64_t t, int64_t from, int64_t to);

}  // namespace posenc
