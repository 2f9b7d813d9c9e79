// clipped.cc: rows of the table of a clipped bias.
#include "posenc/relative/clipped.h"

#include <algorithm>

#include "relative/table.h"

namespace posenc {

Fields Clipped::fields() {
  using S = Clipped;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"max_distance", &S::max_distance, "M; farther keys read the last row"},
          {"form", &S::form, "which distances have a row"}};
}

std::vector<Preset<Clipped>> Clipped::presets() {
  return {{"phi4-audio",
           "Phi-4 multimodal, audio",
           {.heads = 16, .max_distance = 1000, .form = ClippedForm::half_open}}};
}

void Clipped::check() const {
  check_size(name, "heads", heads);
  check_size(name, "max_distance", max_distance);
}

int64_t Clipped::rows() const {
  if (form == ClippedForm::symmetric) return max_distance;
  return 2 * max_distance + (form == ClippedForm::full ? 1 : 0);
}

int64_t Clipped::row(int64_t r) const {
  if (form == ClippedForm::symmetric) return std::min(r < 0 ? -r : r, max_distance - 1);
  return std::clamp(r, -max_distance, rows() - max_distance - 1) + max_distance;
}

BiasFormula Clipped::formula(const WeightValues& weights) const {
  BiasFormula out{Reads::distance, true};
  read_table(out, weights[0], [s = *this](int64_t head, double query, double key) {
    return s.row(static_cast<int64_t>(key - query)) * s.heads + head;
  });
  return out;
}

}  // namespace posenc
