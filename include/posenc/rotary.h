// rotary.h: encodings that rotate pairs of features of queries and keys by their positions.
//
//   posenc::Rope rope{.dim = 128, .layout = posenc::Layout::half, .base = 500000};
//   auto plan = posenc::prepare(rope);
//   posenc::rotate(plan, {q, k}, posenc::range(past));   // in place, one pass over both
//
// q and k are [..., tokens, heads, dim] with any strides, so other axis orders are strided views.
// Their numbers of heads may differ, and either may be left out. Results are computed in f64
// for f64 and in f32 otherwise, and rounded once. Nothing is written when an Error is thrown.
#pragma once

#include "posenc/rotary/rope.h"
#include "posenc/rotary/verbs.h"

namespace POSENC_PUBLIC posenc {

using Rotary = std::variant<Rope>;

// keep: rows of the table for positions 0 .. keep - 1 are cached in f32.
RotaryPlan prepare(const Rope& scheme, const PlanOptions& options = {});

// A plan for each layer, or none; layers with equal schemes share one.
std::vector<std::optional<RotaryPlan>> prepare_layers(std::span<const std::optional<Rope>> layers,
                                                      const PlanOptions& options = {});

// Functions that take a plan are in rotary/verbs.h. This one prepares each time, in place.
void rotate(const Rope& scheme, const QueriesKeys& x, const Positions& at = range(),
            const PlanOptions& plan = {}, Stream stream = {});

}  // namespace posenc
