// rotary_turns.h: how cosines and sines of rotary pairs may be arranged, and how fast they turn.
#pragma once

#include "kinds.h"

namespace posenc::inspect {

// One table, or two beside each other.
struct RotaryRows {
  std::vector<TableView> parts;
  DType type = DType::f32;

  int64_t count() const { return parts[0].rows; }
  int64_t dim() const { return std::ssize(parts) * parts[0].dim; }
  void read(int64_t row, double* out) const {
    for (const TableView& part : parts) part.read_row(row, out), out += part.dim;
  }
  std::vector<double> row(int64_t r) const {
    std::vector<double> out(static_cast<size_t>(dim()));
    read(r, out.data());
    return out;
  }
};

struct ColumnTurn {
  int64_t pair;
  bool sine;
};
struct Arrangement {
  std::string holds, layout;  // "cos|sin", "half"
  int64_t pairs;
  std::vector<ColumnTurn> columns;
  bool both() const { return holds.size() > 3; }
};

// Sines first are sinusoidal tables, unless they are a table of their own.
std::vector<Arrangement> arrangements(const RotaryRows& rows);

inline constexpr double slack = 4;  // times the error of a stored number

// What the rows say in that arrangement: a factor on all, and a frequency for each pair.
struct MeasuredRotation {
  double factor = 1;
  int64_t offset = 0;  // the position of the first row
  std::vector<Known> pairs{};
};
// Nothing where a pair does not turn steadily from row 0 on.
std::optional<MeasuredRotation> turning(const RotaryRows& rows, const Arrangement& arrangement);

}  // namespace posenc::inspect
