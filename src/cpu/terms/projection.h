// projection.h: rows of distances that are projected sinusoids, and the gradient of what projects.
#pragma once

#include "absolute/plan.h"
#include "base/check.h"
#include "base/parallel.h"
#include "cpu/kernels/products.h"
#include "cpu/terms/term.h"

namespace posenc::cpu {

// Sinusoids are made so many at a time, from a multiple of it on: the same whatever stands beside.
inline constexpr int64_t sinusoid_piece = 64;

template <class C>
struct Projection {
  const RowLookups& form;
  const ContentPlan::Parts& plan;

  // Finds the distances of a call and the rows that hold them.
  void start(TermCall<C>& call) const {
    const Reach reach = call.at.distances();
    const int64_t first = near(-reach.most), count = near(-reach.least) - first + 1;
    if (count > max_size)
      fail(plan.name, "expected at most ", max_size, " distances from ", -reach.most, " to ",
           -reach.least, ", got ", count, " (clamp_len limits them)");
    call.range = {first, count};
    const int64_t most = most_kept_bytes / (plan.heads * dim() * int64_t{sizeof(C)});
    call.rows =
        plan.typed<C>().rows.get(call.range, most, [this](const Range& r) { return make(r); });
  }

  // dweight [heads, dim, inputs] += drows^T sinusoids, for the heads of a call; the sums of a head,
  // drows, are `each` apart.
  void finish(const TermCall<C>& call, const double* drows, int64_t each, double* dweight) const {
    const auto [first, count] = call.range;
    const Scratch<C> made = sinusoids(first, count);
    Scratch<double> r(made.size());
    std::copy(made.begin(), made.end(), r.begin());
    const int64_t rows = count, inputs = form.inputs;
    parallel_for(call.heads, call.heads * dim() * (rows + inputs) * 64, [&](int64_t h) {
      mix_rows<double>(dim(), inputs, rows, {drows + h * each, 1, dim()}, {r.data(), inputs},
                       {dweight + (call.first_head + h) * dim() * inputs, inputs});
    });
  }

 private:
  int64_t dim() const { return form.parts[0].dim; }

  // A distance query - key, no farther than the rule has it.
  int64_t near(double distance) const {
    const auto limit = static_cast<double>(form.parts[0].rule.distance.high);
    return static_cast<int64_t>(std::clamp(distance, -limit, limit));
  }

  // Of distances first, first + 1, ...
  Scratch<C> sinusoids(int64_t first, int64_t count) const {
    constexpr int64_t piece = sinusoid_piece;
    const int64_t skipped = (first % piece + piece) % piece, inputs = form.inputs;
    Scratch<C> out(count * inputs), whole(piece * inputs);
    for (int64_t at = first - skipped; at < first + count; at += piece) {
      fill(plan.formula.sinusoids, tensor(whole.data(), {piece, inputs}), range(at));
      const int64_t begin = std::max(at, first), end = std::min(at + piece, first + count);
      std::copy(whole.begin() + (begin - at) * inputs, whole.begin() + (end - at) * inputs,
                out.begin() + (begin - first) * inputs);
    }
    return out;
  }

  ProjectedRows<C> make(Range range) const {
    const Scratch<C> from = sinusoids(range.first, range.count);
    const int64_t heads = plan.heads, inputs = form.inputs;
    const C* weight = plan.typed<C>().weights[static_cast<size_t>(form.projection)].data();
    ProjectedRows<C> out{range, Scratch<C>(heads * range.count * dim())};
    parallel_for(heads, heads * dim() * (range.count + inputs) * 64, [&](int64_t h) {
      dot_rows<C>(range.count, dim(), inputs, {from.data(), inputs},
                  {weight + h * dim() * inputs, inputs},
                  {out.memory.data() + h * range.count * dim(), dim()});
    });
    return out;
  }
};

}  // namespace posenc::cpu
