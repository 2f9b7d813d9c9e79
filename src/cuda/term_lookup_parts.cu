// term_lookup_parts.cu: the parts of a form as a call reads them on a device.
#include "absolute/plan.h"
#include "cuda/products.h"
#include "cuda/term_lookup.h"

namespace posenc::cuda {
namespace {

// Whether so many times so many are at most a limit, whatever their product.
bool at_most(double count, int64_t each, int64_t limit) {
  return count * static_cast<double>(each) <= static_cast<double>(limit);
}

}  // namespace

template <class C>
TermLookups<C>::TermLookups(const DeviceStream& stream, const RowLookups& form,
                            const TermSource& source, const ScorePlaces& at)
    : count(form.count), heads(source.heads), dim(source.plan.reads().dim) {
  const ContentPlan::Parts& plan = source.plan.parts();
  const TermCopy<C>& copy = copy_of<C>(stream, plan);
  const int64_t first = source.first_head;
  for (int p = 0; p < count; ++p) {
    static_cast<LookupPart&>(parts[p]) = form.parts[p];
    parts[p].rule.distance.rows = copy.rows;
    if (parts[p].ahead > 0) parts[p].rule.distance.shift = at.keys.tokens + parts[p].ahead;
    if (parts[p].weight >= 0)
      parts[p].table = copy.weight(parts[p].weight) + first * parts[p].head_step;
  }
  if (form.bias >= 0)
    bias = copy.weight(form.bias) + first * dim, bias_weight = static_cast<size_t>(form.bias);
  if (form.gate >= 0) {
    gate.weight = copy.weight(form.gate), gate.bias = copy.weight(form.gate + 1);
    gate.scale = copy.weight(form.gate + 2) + first, gate.heads = heads, gate.dim = dim;
    gate.first_weight = static_cast<size_t>(form.gate);
  }
  if (form.projection >= 0) {
    inputs = form.inputs, projection_weight = static_cast<size_t>(form.projection);
    projection = copy.weight(form.projection) + first * dim * inputs;
    project(stream, plan.formula.sinusoids.parts(), at);
  }
}

template <class C>
bool TermLookups<C>::reads(bool keys) const {
  for (int p = 0; p < count; ++p)
    if (parts[p].by_key == keys) return true;
  return false;
}

// Parts without a weight read sinusoids of the distances that the call has.
template <class C>
void TermLookups<C>::project(const DeviceStream& stream, const RowSource& source,
                             const ScorePlaces& at) {
  DistanceRows& rule = parts[0].rule.distance;
  if (at.on_host()) {
    const Reach reach = at.distances();
    const auto limit = static_cast<double>(rule.high);
    rule.low = static_cast<int64_t>(std::clamp(-reach.most, -limit, limit));
    rule.high = static_cast<int64_t>(std::clamp(-reach.least, -limit, limit));
  }
  make_rows(stream, source, parts[0], at.rows * at.queries.tokens * at.keys.tokens);
  for (int p = 1; p < count; ++p) {
    if (parts[p].weight >= 0) continue;
    parts[p].rule.distance.low = rule.low, parts[p].rule.distance.high = rule.high;
    parts[p].dim = parts[0].dim, parts[p].rows = parts[0].rows, parts[p].table = parts[0].table;
    parts[p].head_step = parts[0].head_step, parts[p].row_step = parts[0].row_step;
  }
}

// Rows of the distances, where that is less work than their use for so many pairs; otherwise
// sinusoids of the distances, or nothing where even these are too many or not known.
template <class C>
void TermLookups<C>::make_rows(const DeviceStream& stream, const RowSource& source,
                               DeviceLookupPart<C>& part, int64_t pairs) {
  const int64_t rows_needed = part.rule.distance.count();
  const auto needed = static_cast<double>(rows_needed);
  sinusoids = rows_on(stream, source);
  const bool known = at_most(needed, inputs, most_numbers) && rows_needed <= pairs;
  projects_queries =
      !known || !at_most(needed, dim, pairs) || !at_most(needed, heads * dim, most_numbers);
  part.rows = rows_needed;
  if (projects_queries) part.dim = part.row_step = inputs;
  if (!known) return;
  sinusoid_rows.emplace(stream, rows_needed * inputs);
  Tensor out = tensor(sinusoid_rows->data(), {rows_needed, inputs});
  out.device = Device::cuda, out.device_index = stream.device();
  const Places at{range(part.rule.distance.low), rows_needed};
  run(AddOrder{source, at, out, nullptr, nullptr, nullptr, 1, stream.handle()});
  part.table = sinusoid_rows->data();
  if (projects_queries) return;
  rows.emplace(stream, heads * rows_needed * dim);
  multiply<C, C, C>(stream, {heads, rows_needed, dim, inputs}, {part.table, 0, inputs, 1},
                    {projection, dim * inputs, 1, inputs},
                    {rows->data(), rows_needed * dim, dim, 1});
  part.table = rows->data(), part.head_step = rows_needed * dim;
}

template struct TermLookups<float>;
template struct TermLookups<double>;

}  // namespace posenc::cuda
