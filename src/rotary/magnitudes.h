// magnitudes.h: rows of cosines and sines as one of q and k needs them.
#pragma once

#include "rotary/plan.h"

namespace posenc {

enum class Way : uint8_t { forward, adjoint, inverse };

// The factor on every feature of q at a position.
double query_factor(const Rope& rope, double position);
// Throws Error where a factor would overflow or vanish.
void check_magnitudes(const char* verb, const RotaryPlan& plan, const Positions& at, int64_t rows,
                      int64_t tokens);

// Whether q and k need different rows, and other ones than those of the table.
bool sides_differ(const Rope& rope);

// to = the rows of `from` for q (or k), going that way; as many as there are coordinates.
void adjust_rows(const RotaryPlan::Parts& parts, Way way, bool is_query, const cpu::Coordinates& at,
                 const cpu::Rows& from, const cpu::Rows& to);

// The factor on pair k of q (or k) at a position, apart from cos_sin_factor.
double pair_factor(const Rope& rope, bool is_query, double position, int64_t k);

}  // namespace posenc
