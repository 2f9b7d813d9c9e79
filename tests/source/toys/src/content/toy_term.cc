// toy_term.cc: every query meets one learned vector.
#include "posenc/content/toy_term.h"

#include "content/formula.h"

namespace posenc {

Fields ToyTerm::fields() { return {{"dim", &ToyTerm::dim, "head size"}}; }

std::vector<Preset<ToyTerm>> ToyTerm::presets() { return {}; }

void ToyTerm::check() const { check_size(name, "dim", dim); }

TermFormula ToyTerm::formula(const WeightLists&) const {
  return {RowLookups{}.add({.dim = dim, .rows = 1, .row_step = dim, .weight = 0})};
}

}  // namespace posenc
