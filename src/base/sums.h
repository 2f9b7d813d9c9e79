// sums.h: gradients of weights, which are summed in f64 and added to what is there.
#pragma once

#include <vector>

#include "posenc/tensor.h"

namespace posenc {

// sum[entry] += value, entries counted row by row.
void add_value(const Tensor& sum, int64_t entry, double value);
// sum += values; sum is f32 or f64, of any rank and strides.
void add_values(const Tensor& sum, const std::vector<double>& values);

// Throws Error unless there is a tensor of the compute type of `dtype` for each shape.
void check_gradients(const char* verb, const std::vector<std::vector<int64_t>>& shapes,
                     std::span<const Tensor> dweights, DType dtype);
// They share no memory with what is read meanwhile; a tensor of rank 0 is not given.
void check_gradients_apart(const char* verb, std::span<const Tensor> dweights,
                           std::initializer_list<Tensor> read);

}  // namespace posenc
