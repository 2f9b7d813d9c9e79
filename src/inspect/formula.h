// formula.h: how a table may have been computed: a scheme, and what no option of a scheme says.
#pragma once

#include <vector>

#include "posenc/absolute/sinusoidal.h"

namespace posenc::inspect {

// Columns whose frequency or function is not the one the scheme gives them.
enum class Mix : uint8_t {
  none,
  frequencies_in_halves,  // sines and cosines alternate, frequencies w0 w1 w2 | w0 w1 w2
  frequencies_in_pairs,   // sines then cosines, frequencies w0 w0 w1 w1 w2 w2
  only_sines,
  only_cosines,
  cosines_one_on,  // the cosine of pair k has the frequency of pair k + 1
};

// What is rounded to a sixteen-bit type on the way to the sine.
struct Lowered {
  DType type = DType::bf16;
  bool position = false, frequency = false, phase = false;
  bool any() const { return position || frequency || phase; }
};

struct Formula {
  Sinusoidal scheme;
  double rate = 0;  // base^(-index * rate) are the frequencies of the scheme's rule
  Mix mix = Mix::none;
  bool reversed = false;  // the last row comes first
  Lowered lowered{};

  struct Column {
    int64_t index;  // among the frequencies
    bool cosine, zero;
  };
  Column column(int64_t c) const;
  double position(int64_t row, int64_t rows) const;
};

// ln w = intercept + slope * index, for positive frequencies; position_scale gives the sign.
struct Line {
  double intercept = 0, slope = 0;
};
Line line_of(const Formula& formula);
double rate_of(const Sinusoidal& scheme);

// Unit sines and cosines in double precision: good enough to compare samples.
class Sketch {
 public:
  struct Tone {
    Formula::Column column;
    double log, frequency;  // log: of its size
  };
  explicit Sketch(const Formula& formula);
  Tone tone(int64_t column) const;
  double frequency(int64_t column) const { return tone(column).frequency; }
  double value(double position, const Tone& tone) const;
  double value(double position, int64_t column) const { return value(position, tone(column)); }

 private:
  const Formula& formula_;
  Line line_;
  double sign_;
};

// Rows of the formula with exact phases (or with just the roundings the formula names).
class ExactRows {
 public:
  ExactRows(const Formula& formula, int64_t rows);
  void row(int64_t row, double* out) const;  // [dim]

 private:
  void phases(double position, Turn* out) const;
  void rounded_phases(double position, Turn* out) const;
  Formula formula_;
  int64_t rows_;
  Frequency radian_ = frequency(1);
  std::vector<Frequency> frequency_;
  std::vector<float> radians_;
  std::vector<Turn> quarter_;
  std::vector<double> amplitude_;
};

// x as the type holds it.
double lowered(DType type, double x);

}  // namespace posenc::inspect
