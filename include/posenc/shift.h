// shift.h: M_k, the matrix that moves a sinusoidal encoding by k positions.
//
//   PE(p + k) = M_k PE(p)      for every p
//
// M_k rotates each pair (sine, cosine) by k times its frequency and does not depend on p. It is
// stored as angles in exact fractions of a turn, so products and inverses are exact. It does not
// apply to a padding row of zeros.
#pragma once

#include <vector>

#include "posenc/absolute/sinusoidal.h"

namespace POSENC_PUBLIC posenc {

class Shift {
 public:
  struct Pair {
    int64_t sine, cosine;  // columns
    Turn angle;
  };

  int64_t dim() const { return dim_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  double sine(size_t pair) const;  // an Error if there is no such pair
  double cosine(size_t pair) const;

  // The matrix as numbers: dim x dim, row-major.
  std::vector<double> matrix() const;

  // out = M_k rows. rows, out: [..., tokens, dim]; out may be rows.
  void apply(const Tensor& rows, const Tensor& out) const;

  Shift inverse() const;
  // M_j M_k = M_{j+k}; an Error unless both belong to the same encoding.
  friend Shift operator*(const Shift& a, const Shift& b);

 private:
  friend Shift shift(const Sinusoidal&, int64_t);
  int64_t dim_ = 0;
  std::vector<Pair> pairs_;
  std::vector<Frequency> frequencies_;
};

// Throws Error if no M_k exists: a pair whose sine and cosine have different frequencies, an
// unpaired odd column, or phases rounded to f32.
Shift shift(const Sinusoidal& scheme, int64_t k);

}  // namespace posenc
