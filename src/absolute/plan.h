// plan.h: what the plan of an absolute scheme holds.
#pragma once

#include "orders/row_source.h"
#include "posenc/absolute/verbs.h"

namespace posenc {

struct Sinusoidal;

struct AbsolutePlan::Parts : RowSource {};

// Adds the derivatives of the columns by their phase (in turns) and by their amplitude, as columns.
void add_derivatives(RowSource& source, double shift);

// The plan of what other schemes are made of.
AbsolutePlan plan_of(const Sinusoidal& scheme);
// A plan with what the options say is kept.
AbsolutePlan make_plan(RowSource source, const PlanOptions& options);

// The places of `tokens` in so many batch rows: they fit, are finite, and have rows.
Places check_places(const char* verb, const RowSource& source, const Positions& at, int64_t rows,
                    int64_t tokens);
// The same for the tokens of x: [..., tokens, dim].
Places check_places(const char* verb, const RowSource& source, const Positions& at,
                    const Tensor& x);
// What is written lies apart from itself and from what says where tokens stand and what they read.
void check_target(const char* verb, const RowSource& source, const Tensor& out,
                  const Positions& at);

}  // namespace posenc
