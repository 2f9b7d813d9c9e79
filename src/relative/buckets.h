// buckets.h: bounds of T5's buckets as forms read them.
#pragma once

#include "posenc/relative/t5.h"
#include "relative/forms/table.h"

namespace posenc {

// Throws Error unless buckets and max_distance are such as T5's; options have a prefix.
void check_buckets(std::string_view scheme, std::string_view prefix, const T5Bias& buckets);

// Appends the bounds of a scheme's buckets to a block.
inline forms::Buckets append_buckets(const T5Bias& scheme, WeightValues& block) {
  const int64_t first = std::ssize(block);
  for (const int64_t start : scheme.bounds()) block.push_back(static_cast<double>(start));
  return {first, std::ssize(block) - first, scheme.bidirectional};
}

}  // namespace posenc
