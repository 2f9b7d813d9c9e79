// absolute.h: encodings added to the input of a Transformer: x + row(position).
//
//   posenc::Sinusoidal pe{.dim = 512};
//   posenc::add(pe, x);               // x: [batch, tokens, 512], positions 0, 1, 2, ...
//
//   auto plan = posenc::prepare(pe);  // keep it: calls with a plan allocate nothing
//   posenc::add(plan, x, x, posenc::range(4096));  // output may be the input
//
// Tensors may have any strides and any batch shape [..., tokens, dim]. Computations are done in
// f64 for f64 and in f32 otherwise, then rounded once. Nothing is written when an Error is thrown.
#pragma once

#include "posenc/absolute/axial.h"
#include "posenc/absolute/gaussian.h"
#include "posenc/absolute/grid_sinusoidal.h"
#include "posenc/absolute/learned.h"
#include "posenc/absolute/learned_grid.h"
#include "posenc/absolute/nerf.h"
#include "posenc/absolute/perceiver.h"
#include "posenc/absolute/resize.h"
#include "posenc/absolute/sinusoidal.h"
#include "posenc/absolute/temporal.h"
#include "posenc/absolute/time2vec.h"
#include "posenc/absolute/verbs.h"

namespace POSENC_PUBLIC posenc {

// The closed list of schemes: add the name of a new one here.
using Absolute = std::variant<Sinusoidal, GridSinusoidal, Learned, LearnedGrid, Axial, Nerf,
                              Perceiver, Gaussian, Time2Vec, Temporal>;

// What a member of the list must provide; its columns come from waves() or from trained
// tables.
template <class S>
concept AbsoluteScheme = Aggregate<S> && requires(const S s) {
  { s.name } -> std::convertible_to<std::string_view>;
  { s.about } -> std::convertible_to<std::string_view>;
  { S::presets() } -> std::same_as<std::vector<Preset<S>>>;
  { s.axes() } -> std::same_as<int64_t>;
  { s.weights() } -> std::same_as<std::vector<Weight>>;
  s.check();
};

// keep: rows 0 .. keep - 1 are cached in f32 (4 keep dim bytes) for functions that apply rows to
// f32, f16 and bf16. This helps when few batch rows share a row of positions.
AbsolutePlan prepare(const Absolute& scheme, const PlanOptions& options = {});
template <AbsoluteScheme S>
AbsolutePlan prepare(const S& scheme, const PlanOptions& options = {}) {
  return prepare(Absolute(scheme), options);
}

// Functions that take a plan are in absolute/verbs.h. These prepare each time; add is in place.
void fill(const Absolute& scheme, const Tensor& table, const Positions& at = range(),
          const PlanOptions& plan = {}, Stream stream = {});
void add(const Absolute& scheme, const Tensor& x, const Positions& at = range(),
         const PlanOptions& plan = {}, Stream stream = {});
void embed(const Absolute& scheme, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options = {}, const PlanOptions& plan = {}, Stream stream = {});

}  // namespace posenc
