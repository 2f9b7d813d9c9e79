// move.h: M_k tried on rows: M_k PE(p) beside PE(p + k).
#pragma once

#include "cli/schemes/rows.h"
#include "posenc/shift.h"

namespace posenc::cli {

// M, how far it moves, and its name.
struct Move {
  Shift m;
  int64_t distance;
  std::string name;
};

struct Trial {
  std::string position;
  std::vector<double> moved, there;  // M PE(p), PE(p + k)
  double error = 0;                  // their largest difference
};

// One trial for each position; throws a usage error where p + k does not fit.
std::vector<Trial> try_move(const Ready& ready, const Move& move, const PositionList& from,
                            DType dtype);
double worst(const std::vector<Trial>& trials);

// a + b, or a usage error.
int64_t sum(int64_t a, int64_t b);

}  // namespace posenc::cli
