// ready.h: the scheme of a component.
#pragma once

#include "posenc/model.h"

namespace posenc::model {

// The scheme, whose options come from the file: one out of range is the file's fault.
template <class S>
const S& checked(const S& scheme) {
  try {
    scheme.check();
  } catch (const Error& error) {
    fail(ErrorKind::data, "read",
         "expected keys that make an encoding, got others: ", error.what());
  }
  return scheme;
}

void set_ready(Component& component, Scheme scheme);
void set_ready(Component& component, const Convolution& convolution);

// Whether the component adds a row to each token: an absolute scheme, or one that is only described
// and known by the name of such a scheme.
bool adds_rows(const Component& component);

// A row of one table for the column of a patch, and one of another for its row, summed (Gemma 4).
inline Axial two_tables(int64_t rows, int64_t dim) {
  return {.dim = dim,
          .rows = std::vector<double>(2, static_cast<double>(rows)),
          .combine = Combine::sum};
}

}  // namespace posenc::model
