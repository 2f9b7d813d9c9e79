// sentence.h: an explanation in plain words.
#pragma once

#include "compare.h"
#include "search.h"

namespace posenc::inspect {

struct Explanation {
  Candidate candidate;
  int64_t rows = 0;
  DType stored = DType::f32, type = DType::f32;  // type: what the numbers look like
  TableComparison comparison{};
  double f32_error = 0;             // how far f32 arithmetic has led from the exact numbers
  std::vector<std::string> also{};  // other presets that explain it
  bool too_short = false;           // to tell it from those
  bool fairseq_weights = false;
  bool cut = false;  // not everything was tried
  int64_t not_finite = 0, bad_row = 0, bad_column = 0;
};

std::string sentence(const Explanation& e);
// For a table that nothing explains; e is the nearest preset.
std::string sentence_for_unknown(const Explanation& e);

}  // namespace posenc::inspect
