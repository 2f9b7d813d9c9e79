// memory.h: numbers in memory of the library's own.
#pragma once

#include <new>
#include <vector>

#include "posenc/tensor.h"

namespace posenc {

// So many zeros, or an Error that says how much memory they would need.
template <class T>
std::vector<T> zeros(std::string_view where, std::string_view what, int64_t count) {
  try {
    return std::vector<T>(static_cast<size_t>(count));
  } catch (const std::exception&) {  // bad_alloc or length_error
    fail(where, "expected ", what, " that fit memory, got ", count, " numbers of ", sizeof(T),
         " bytes each");
  }
}

}  // namespace posenc
