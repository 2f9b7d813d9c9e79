// clipped.cc: rows of the table of a clipped bias.
#include "posenc/relative/clipped.h"

#include "relative/formula.h"

namespace posenc {
namespace {

forms::Clip clip_of(const Clipped& s) {
  const int64_t m = s.max_distance;
  if (s.form == ClippedForm::symmetric) return {0, m - 1, true};
  return {-m, s.form == ClippedForm::full ? m : m - 1};
}

}  // namespace

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
  const forms::Clip clip = clip_of(*this);
  return clip.most - clip.least + 1;
}

int64_t Clipped::row(int64_t r) const { return clip_of(*this).row(nullptr, r); }

BiasFormula Clipped::formula(const WeightValues& weights) const {
  return {Reads::distance, true, forms::BiasTable<forms::Clip>{clip_of(*this), 1, heads}, weights};
}

}  // namespace posenc
