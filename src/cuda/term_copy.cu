// term_copy.cu: what a device keeps of the plan of a content term.
#include "absolute/plan.h"
#include "content/decomposed.h"
#include "content/gate.h"
#include "cuda/rows.h"
#include "cuda/term.h"
#include "posenc/content/deberta.h"
#include "posenc/content/transformer_xl.h"

namespace posenc::cuda {
namespace {

// Of schemes with buckets, one for each distance that differs.
std::vector<int32_t> rows_by_distance(const ContentPlan::Parts& parts) {
  if (const auto* s = parts.as<GatedT5>()) return bucket_rows(*s);
  std::vector<int32_t> rows;
  if (const auto* s = parts.as<Deberta>())
    for (int64_t d = -s->max_distance; d <= s->max_distance; ++d)
      rows.push_back(static_cast<int32_t>(s->row(d)));
  return rows;
}

// The tables of decomposed positions, and where they lie.
template <class C>
std::vector<size_t> add_tables(const ContentPlan::Parts& parts, Arrays& arrays) {
  std::vector<size_t> at;
  const auto* s = parts.as<Decomposed>();
  for (size_t n = 0; s && n < 2; ++n) {
    const auto& numbers = parts.typed<C>().weights[n];
    const auto rows = resized_rows(sides_of(*s)[n], s->dim, {numbers.begin(), numbers.end()});
    at.push_back(arrays.add(std::vector<C>(rows.begin(), rows.end())));
  }
  return at;
}

template <class C>
TermCopy<C> make_copy(const Place& place, const ContentPlan::Parts& parts) {
  TermCopy<C> out;
  Arrays arrays;
  std::vector<size_t> at;
  for (const auto& numbers : parts.typed<C>().weights) at.push_back(arrays.add(numbers));
  const std::vector<int32_t> rows = rows_by_distance(parts);
  const std::vector<size_t> tables = add_tables<C>(parts, arrays);
  if (const auto* s = parts.as<TransformerXl>())
    out.sinusoids = plan_of(s->sinusoids), rows_on(place, out.sinusoids.parts());
  const size_t rows_at = arrays.add(rows);
  out.memory = arrays.upload(place, "what a plan holds");
  for (const size_t n : at)
    out.weights.push_back(reinterpret_cast<const C*>(out.memory.data() + n));
  for (const size_t n : tables)
    out.tables.push_back(reinterpret_cast<const C*>(out.memory.data() + n));
  out.rows = reinterpret_cast<const int32_t*>(out.memory.data() + rows_at);
  return out;
}

}  // namespace

template <class C>
const TermCopy<C>& copy_of(const Place& place, const ContentPlan::Parts& parts) {
  return parts.typed<C>().copies.template get<TermCopy<C>>(
      place.device(), [&] { return make_copy<C>(place, parts); });
}

void keep(const ContentPlan& plan, int device) {
  check_there(device);
  const Place place(device, {});
  copy_of<float>(place, plan.parts()), copy_of<double>(place, plan.parts());
}

template const TermCopy<float>& copy_of(const Place&, const ContentPlan::Parts&);
template const TermCopy<double>& copy_of(const Place&, const ContentPlan::Parts&);

}  // namespace posenc::cuda
