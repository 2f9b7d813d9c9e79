// softmax.h: the kernel that turns a row of scores into weights.
#pragma once

#include <cstdint>

namespace posenc::cpu {

// row = e^(x - m) where x = scale * row + bias and m is the largest x; returns their sum. bias may
// be null. A row without keys, or with nothing but -infinity, becomes 0 and sums to 0; a NaN stays.
double softmax_row(float* row, const float* bias, double scale, int64_t n);
double softmax_row(double* row, const double* bias, double scale, int64_t n);

}  // namespace posenc::cpu
