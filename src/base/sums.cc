// sums.cc: gradients of weights.
#include "base/sums.h"

#include "base/batch.h"
#include "base/check.h"

namespace posenc {

void add_value(const Tensor& sum, int64_t entry, double value) {
  const int64_t at = offset_of(sum, entry);
  if (sum.dtype == DType::f64) {
    static_cast<double*>(sum.data)[at] += value;
  } else {
    static_cast<float*>(sum.data)[at] += static_cast<float>(value);
  }
}

Sums::Sums(std::span<const Tensor> tensors) : lists_(std::ssize(tensors)) {
  int64_t all = 0;
  for (const Tensor& t : tensors) all += t.elements();
  memory_ = Scratch<double>(all, 0);
  double* at = memory_.data();
  for (int64_t i = 0; i < lists_.size(); ++i) {
    const auto n = static_cast<size_t>(tensors[static_cast<size_t>(i)].elements());
    lists_[i] = {at, n};
    at += n;
  }
}

void Sums::add(const Sums& other) {
  for (int64_t i = 0; i < memory_.size(); ++i) memory_[i] += other.memory_[i];
}

void Sums::add_to(std::span<const Tensor> tensors) const {
  for (size_t i = 0; i < tensors.size(); ++i) add_values(tensors[i], lists()[i]);
}

void add_values(const Tensor& sum, std::span<const double> values) {
  for (size_t n = 0; n < values.size(); ++n) add_value(sum, static_cast<int64_t>(n), values[n]);
}

void check_gradients(const char* verb, const std::vector<std::vector<int64_t>>& shapes,
                     std::span<const Tensor> dweights, DType dtype) {
  if (dweights.size() != shapes.size())
    fail(verb, "expected ", shapes.size(), " gradients, got ", dweights.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    check_same(verb, "the gradient of a weight", dweights[i],
               tensor(nullptr, compute_type(dtype), shapes[i]));
    check_output(verb, dweights[i]);
    for (size_t j = 0; j < i; ++j)
      check_apart(verb, "the gradient of a weight", dweights[i], "another", dweights[j]);
  }
}

void check_gradients_apart(const char* verb, std::span<const Tensor> dweights,
                           std::initializer_list<Tensor> read) {
  for (const Tensor& to : dweights)
    for (const Tensor& from : read)
      check_apart(verb, "the gradient of a weight", to, "what is read", from);
}

}  // namespace posenc
