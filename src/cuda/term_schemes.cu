// term_schemes.cu: schemes as parts that look up rows by distance.
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
Lookups<C>::Lookups(const Place& place, const TermSource& source, const ScorePlaces& at)
    : heads(source.heads), dim(source.plan.reads().dim) {
  const ContentPlan::Parts& all = source.plan.parts();
  const TermCopy<C>& copy = copy_of<C>(place, all);
  const auto made = [&](const auto* s) {
    if (s) make(place, copy, *s, source, at);
    return s != nullptr;
  };
  if (made(all.as<Shaw>()) || made(all.as<MusicTransformer>()) || made(all.as<TransformerXl>()) ||
      made(all.as<Deberta>()) || made(all.as<Decomposed>()) || made(all.as<Segments>()) ||
      made(all.as<GatedT5>()))
    return;
  fail(ErrorKind::tensor, all.name, "expected tensors on the CPU, the only device of this scheme, ",
       "got some on a CUDA device");
}

template <class C>
bool Lookups<C>::reads(bool keys) const {
  for (int p = 0; p < count; ++p)
    if (parts[p].by_key == keys) return true;
  return false;
}

template <class C>
void Lookups<C>::make(const Place&, const TermCopy<C>& copy, const Shaw& s,
                      const TermSource& source, const ScorePlaces&) {
  const bool forward = s.order == RowOrder::key_minus_query;
  Part<C> part;
  part.dim = dim, part.rows = s.rows(), part.table = copy.weights[0], part.weight = 0;
  part.rule.sign = forward ? 1 : -1;
  part.rule.low = forward ? -s.left : -s.right, part.rule.high = forward ? s.right : s.left;
  if (s.beyond == Beyond::zero) part.rule.least = -s.left, part.rule.most = s.right;
  if (s.heads > 0)
    part.head_step = part.rows * dim, part.table += source.first_head * part.head_step;
  add(part);
}

// The last row is distance 0.
template <class C>
void Lookups<C>::make(const Place& place, const TermCopy<C>& copy, const MusicTransformer& s,
                      const TermSource& source, const ScorePlaces& at) {
  make(place, copy, Shaw{s.dim, s.heads, s.length - 1, 0, Beyond::zero}, source, at);
}

template <class C>
void Lookups<C>::make(const Place&, const TermCopy<C>& copy, const Deberta& s,
                      const TermSource& source, const ScorePlaces&) {
  const int64_t rows_of_head = 2 * s.span(), step = rows_of_head * dim;
  for (const bool by_key : {false, true}) {
    if (by_key ? !s.p2c : !s.c2p) continue;
    const int weight = by_key && s.c2p ? 1 : 0;
    Part<C> part;
    part.rule.sign = -1, part.rule.rows = copy.rows;
    part.rule.low = -s.max_distance, part.rule.high = s.max_distance;
    part.by_key = by_key, part.dim = dim, part.rows = rows_of_head;
    part.table = copy.weights[static_cast<size_t>(weight)] + source.first_head * step;
    part.head_step = step, part.weight = weight;
    add(part);
  }
}

// The bias u that meets keys is a table of one row.
template <class C>
void Lookups<C>::make(const Place& place, const TermCopy<C>& copy, const TransformerXl& s,
                      const TermSource& source, const ScorePlaces& at) {
  inputs = s.sinusoids.dim;
  projection = copy.weights[0] + source.first_head * dim * inputs;
  const int64_t limit = s.clamp_len > 0 ? s.clamp_len : int64_t{1} << 53;
  Part<C> part;
  part.dim = dim;
  part.rule.sign = -1, part.rule.low = -limit, part.rule.high = limit;
  if (at.on_host()) {
    const Reach reach = at.distances();
    const auto far = static_cast<double>(limit);
    part.rule.low = static_cast<int64_t>(std::clamp(-reach.most, -far, far));
    part.rule.high = static_cast<int64_t>(std::clamp(-reach.least, -far, far));
  }
  make_rows(place, copy, part, at.rows * at.queries.tokens * at.keys.tokens);
  if (s.legacy) part.rule.most = 0;
  add(part);
  if (s.legacy) {
    part.rule.least = 2, part.rule.most = INT64_MAX, part.rule.shift = at.keys.tokens + 1;
    part.ahead = 1;
    add(part);
  }
  if (!s.biases) return;
  const C* content_bias = copy.weights[1] + source.first_head * dim;
  bias = copy.weights[2] + source.first_head * dim;
  Part<C> of_keys;
  of_keys.by_key = true, of_keys.dim = dim, of_keys.rows = 1;
  of_keys.table = content_bias, of_keys.head_step = dim, of_keys.weight = 1;
  add(of_keys);
}

// Rows of the distances, where that is less work than their use for so many pairs; otherwise
// sinusoids of the distances, or nothing where even these are too many or not known.
template <class C>
void Lookups<C>::make_rows(const Place& place, const TermCopy<C>& copy, Part<C>& part,
                           int64_t pairs) {
  const int64_t rows_needed = part.rule.count();
  const auto needed = static_cast<double>(rows_needed);
  const RowSource& source = copy.sinusoids.parts();
  sinusoids = rows_on(place, source);
  const bool known = at_most(needed, inputs, most_numbers) && rows_needed <= pairs;
  projects_queries =
      !known || !at_most(needed, dim, pairs) || !at_most(needed, heads * dim, most_numbers);
  part.rows = rows_needed;
  if (projects_queries) part.dim = inputs;
  if (!known) return;
  sinusoid_rows.emplace(place, rows_needed * inputs);
  Tensor out = tensor(sinusoid_rows->data(), {rows_needed, inputs});
  out.device = Device::cuda, out.device_index = place.device();
  const Places at{range(part.rule.low), rows_needed};
  run(AddOrder{source, at, out, nullptr, nullptr, nullptr, 1, place.stream()});
  part.table = sinusoid_rows->data();
  if (projects_queries) return;
  rows.emplace(place, heads * rows_needed * dim);
  multiply<C, C, C>(place, {heads, rows_needed, dim, inputs}, {part.table, 0, inputs, 1},
                    {projection, dim * inputs, 1, inputs},
                    {rows->data(), rows_needed * dim, dim, 1});
  part.table = rows->data(), part.head_step = rows_needed * dim;
}

template struct Lookups<float>;
template struct Lookups<double>;

}  // namespace posenc::cuda
