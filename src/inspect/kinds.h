// kinds.h: what other than a sinusoidal table a file may hold: rows of patches, rotary numbers,
// biases of scores.
#pragma once

#include "posenc/model/identify.h"
#include "table.h"

namespace posenc::inspect {

using model::Match;

// The frequency of a pair, in radians per position, and how far off it may be.
struct Known {
  double w, error;
};

// A scheme that gives those frequencies, and what else would.
struct RotaryFit {
  Rope rope;
  std::string also{};
};
// Rules that give all the frequencies, likeliest first.
std::vector<RotaryFit> rules_for(const std::vector<Known>& pairs);

// The slopes of ALiBi for as many heads, each within a relative error; the sentence is a clause.
std::optional<Match> slopes_match(const std::vector<double>& slopes, double error);

// A number in its fewest digits, 500000 rather than 5e+05.
std::string number_text(double x);
// The options in which the scheme differs from its defaults, as they are typed.
std::string typed_options(const Scheme& scheme);
// "yarn (factor 4, ...)": a choice with its options.
std::string option_text(const Scheme& scheme, const std::string& name);

// [rows, dim] or equal such tables.
Match identify_sinusoidal(const Tensor& t);
// [patches, dim] of an image or a video.
std::optional<Match> identify_grid(const Tensor& t);
// [rows, dim] that were shifted and scaled as a whole.
std::optional<Match> identify_normalized(const Tensor& t);
// What a table of cosines and sines was found to be, and the scheme that makes it.
struct RotaryMatch {
  Match match;
  Rope rope;
};
// Cosines and sines of rotary pairs, [tokens, ...] in any of the usual arrangements.
std::optional<RotaryMatch> identify_rotary(const Tensor& t);
// Inverse frequencies or slopes.
Match identify_vector(const Tensor& t);
// Biases of scores: [heads, queries, keys], [queries, keys], lines of them.
std::optional<Match> identify_biases(const Tensor& t);

}  // namespace posenc::inspect
