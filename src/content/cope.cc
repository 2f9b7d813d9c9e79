// cope.cc: options and checks of contextual positions.
#include "posenc/content/cope.h"

#include "content/formula.h"

namespace posenc {

Fields Cope::fields() {
  using S = Cope;
  return {{"dim", &S::dim, "features of a head"},
          {"positions", &S::positions, "rows of the table; farther keys share the last one"},
          {"scaled_gates", &S::scaled_gates,
           "gates read scores times the scale that follows; otherwise without it"},
          {"soft", &S::soft, "temperature at which all rows are mixed; 0: the two nearest"}};
}

std::vector<Preset<Cope>> Cope::presets() {
  return {{"paper", "Golovneva et al. 2024: gates of plain products", {.scaled_gates = false}},
          {"authors", "the authors' code: 64 positions, scaled products", {}},
          {"x-transformers", "x-transformers: 16 positions, scaled products", {.positions = 16}},
          {"x-transformers-soft",
           "x-transformers: the same, rows mixed softly",
           {.positions = 16, .soft = 0.05}}};
}

void Cope::check() const {
  check_size(name, "dim", dim);
  check_size(name, "positions", positions);
  if (soft != 0) check_positive(name, "soft", soft);
  if (soft != 0 && soft < 1e-30) fail(name, "expected soft as 0 or at least 1e-30, got ", soft);
}

TermFormula Cope::formula(const WeightLists&) const {
  return {CountedRows{positions, dim, soft, scaled_gates}};
}

}  // namespace posenc
