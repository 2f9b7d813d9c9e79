// forms.h: the formulas of all biases, as plain data and functions for the CPU and for kernels.
//
// A form's numbers lie in one block of doubles: the scheme's weights() as they are read, then what
// was computed from them. `block` says where that is, so a form reads a copy on a device once its
// block points there. It computes from a query and a key, or from 0 and the distance, key or entry
// where that is all a scheme reads, in two steps, since heads share the first:
//
//   at(query, key, work)              the inputs: what the biases of all heads depend on. work:
//                                     workspace() numbers of the caller's, as long as the inputs
//                                     are read. Forms of several axes are given a number for each
//                                     (points.h)
//   bias(head, inputs)
//   backward(heads, inputs, g, add)   add(n, the gradient of block[n], where g are those of biases)
#pragma once

#include <variant>

#include "relative/forms/cosines.h"
#include "relative/forms/kernel.h"
#include "relative/forms/networks.h"
#include "relative/forms/points.h"
#include "relative/forms/products.h"
#include "relative/forms/slopes.h"
#include "relative/forms/table.h"

namespace posenc {

// The closed list: a new formula is one more name here.
using BiasForm =
    std::variant<forms::Slopes, forms::BiasTable<forms::Same>, forms::BiasTable<forms::Clip>,
                 forms::BiasTable<forms::Buckets>, forms::Kernel, forms::Cosines,
                 forms::DistanceNetwork, forms::RatioNetwork, forms::OffsetNetwork, forms::Products,
                 forms::LayoutTables, forms::SegmentTable, forms::BoxWaves>;

template <class Form>
int64_t workspace_of(const Form& form) {
  if constexpr (requires { form.workspace(); }) {
    return form.workspace();
  } else {
    return 0;
  }
}

}  // namespace posenc
