// convolution.h: grouped convolutions of dense rows, as products of matrices.
#pragma once

#include "base/scratch.h"
#include "convolution/plan.h"

namespace posenc::cpu {

// What one convolution runs over: [rows, height, width, dim] with zeros around each row.
struct Window {
  int64_t rows, height, width;
  int64_t dim, groups, kernel_y, kernel_x;

  int64_t inputs() const { return dim / groups; }
  bool depthwise() const { return groups == dim; }
  // Columns that are worked on together: a group, or some of those that mix with no other.
  int64_t block() const { return depthwise() ? std::min<int64_t>(dim, 64) : inputs(); }
  int64_t blocks() const { return (dim + block() - 1) / block(); }
  int64_t taps() const { return kernel_y * kernel_x; }
  int64_t area() const { return height * width; }
  int64_t elements() const { return rows * area() * dim; }
  int64_t padded_width() const { return width + kernel_x - 1; }
  int64_t padded_area() const { return (height + kernel_y - 1) * padded_width(); }
  // A measure of the work, for threads.
  int64_t bytes() const { return elements() * std::min<int64_t>(taps() * inputs(), 4096); }
};

// The weights of a layer as the kernels read them: [group, tap, input, output], or [tap, column] of
// a depth-wise one. Turned: those that lead from outputs back to inputs.
template <class C>
Scratch<C> packed_weights(const Window& window, const ConvolutionLayer& layer, bool turned);

// out += in convolved with packed weights.
template <class C>
void convolve(const Window& window, const C* in, const C* weights, bool turned, C* out);

// sums [dim, inputs, taps] += what dout says about the weights.
template <class C>
void add_tap_gradient(const Window& window, const C* in, const C* dout, double* sums);

}  // namespace posenc::cpu
