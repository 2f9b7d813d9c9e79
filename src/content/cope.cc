// cope.cc: options and checks of contextual positions.
#include "posenc/content/cope.h"

namespace posenc {

Fields Cope::fields() {
  using S = Cope;
  return {{"dim", &S::dim, "features of a head"},
          {"positions", &S::positions, "rows of the table; farther keys share the last one"},
          {"scaled_gates", &S::scaled_gates,
           "gates read scores times the scale that follows; otherwise without it"}};
}

std::vector<Preset<Cope>> Cope::presets() {
  return {{"paper", "gates of plain products", {.scaled_gates = false}},
          {"authors", "their code; 64 positions, scaled products", {}},
          {"x-transformers", "16 positions, scaled products", {.positions = 16}}};
}

void Cope::check() const {
  check_size(name, "dim", dim);
  check_size(name, "positions", positions);
}

}  // namespace posenc
