// check.h: what verbs check before they start; every check ends in a sentence.
#pragma once

#include "source.h"

namespace posenc {

// Of the same rank and sizes; what a tensor holds past its rank means nothing.
bool same_shape(const Tensor& a, const Tensor& b);
// The same elements of the same memory.
bool same_view(const Tensor& a, const Tensor& b);
// On the CPU, of a size that fits 64 bits, with data.
void check_memory(std::string_view verb, std::string_view what, const Tensor& t);
// One tensor of the right shape for each weight of a scheme.
void check_weights(std::string_view scheme, const std::vector<Weight>& wanted,
                   std::span<const Tensor> given);
// A float tensor [..., tokens, dim] on the CPU.
void check_rows(const char* verb, const char* what, const Tensor& t, int64_t dim);
// Of the same shape and element type as `like`.
void check_same(const char* verb, const char* what, const Tensor& t, const Tensor& like);
// No element is written twice.
void check_output(const char* verb, const Tensor& t);
// Input and output are the same memory or disjoint, as far as contiguous tensors can tell.
void check_overlap(const char* verb, const Tensor& in, const Tensor& out);
// A float tensor [vocabulary, dim] of the given type.
void check_vocabulary(const char* verb, const char* what, const Tensor& t, DType dtype,
                      int64_t dim);
// Integers [..., tokens] that fit rows [..., tokens, dim], each from 0 to below `limit`.
void check_ids(const char* verb, const Tensor& ids, const Tensor& rows, int64_t limit);
// Positions that fit, are finite, and lie inside a learned table.
void check_positions(const char* verb, const AbsolutePlan::Source& source, const Positions& at,
                     int64_t rows, int64_t tokens);

}  // namespace posenc
