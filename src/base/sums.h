// sums.h: gradients of weights, which are summed in f64 and added to what is there.
#pragma once

#include <vector>

#include "base/scratch.h"
#include "posenc/tensor.h"

namespace posenc {

// Sums for each of a scheme's weights(), to be added to.
using Gradients = std::span<const std::span<double>>;

// sum[entry] += value, entries counted row by row.
void add_value(const Tensor& sum, int64_t entry, double value);
// sum += values; sum is f32 or f64, of any rank and strides.
void add_values(const Tensor& sum, std::span<const double> values);

// A list of sums for each of some tensors, all 0 at first.
class Sums {
 public:
  explicit Sums(std::span<const Tensor> tensors);
  std::span<const std::span<double>> lists() const { return {lists_.begin(), lists_.end()}; }
  double* data() { return memory_.data(); }  // all of them, one list after the other
  void add(const Sums& other);
  // tensors += the sums.
  void add_to(std::span<const Tensor> tensors) const;

 private:
  Scratch<std::span<double>> lists_;
  Scratch<double> memory_;
};

// Throws Error unless there is a tensor of the compute type of `dtype` for each shape.
void check_gradients(const char* verb, const std::vector<std::vector<int64_t>>& shapes,
                     std::span<const Tensor> dweights, DType dtype);
// They share no memory with what is read meanwhile; a tensor of rank 0 is not given.
void check_gradients_apart(const char* verb, std::span<const Tensor> dweights,
                           std::initializer_list<Tensor> read);

}  // namespace posenc
