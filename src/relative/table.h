// table.h: biases that are entries of a learned table.
#pragma once

#include "relative/formula.h"

namespace posenc {

// bias = scale * table[entry(head, query, key)]; the table is weight 0.
template <class Entry>
void read_table(BiasFormula& formula, const std::vector<double>& table, const Entry& entry,
                double scale = 1) {
  formula.bias = each_head([entry, table, scale](int64_t head, double query, double key) {
    return scale * table[static_cast<size_t>(entry(head, query, key))];
  });
  formula.backward = each_head_backward(
      [entry, scale](int64_t head, double query, double key, double g, Gradients dw) {
        dw[0][static_cast<size_t>(entry(head, query, key))] += scale * g;
      });
}

}  // namespace posenc
