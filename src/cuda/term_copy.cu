// term_copy.cu: what a device keeps of the plan of a content term.
#include "absolute/plan.h"
#include "cuda/rows.h"
#include "cuda/term.h"

namespace posenc::cuda {
namespace {

template <class C>
TermCopy<C> make_copy(const DeviceStream& stream, const ContentPlan::Parts& parts) {
  TermCopy<C> out;
  Arrays arrays;
  std::vector<size_t> at;
  for (const auto& numbers : parts.typed<C>().weights) at.push_back(arrays.add(numbers));
  const size_t rows_at = arrays.add(parts.formula.rows);
  const auto* lookups = std::get_if<RowLookups>(&parts.formula.form);
  if (lookups && lookups->projection >= 0) rows_on(stream, parts.formula.sinusoids.parts());
  out.memory = arrays.upload(stream, "what a plan holds");
  for (const size_t n : at)
    out.weights.push_back(reinterpret_cast<const C*>(out.memory.data() + n));
  out.rows = reinterpret_cast<const int32_t*>(out.memory.data() + rows_at);
  return out;
}

}  // namespace

template <class C>
const TermCopy<C>& copy_of(const DeviceStream& stream, const ContentPlan::Parts& parts) {
  return parts.typed<C>().copies.template get<TermCopy<C>>(
      stream.device(), [&] { return make_copy<C>(stream, parts); });
}

void keep(const ContentPlan& plan, int device) {
  check_there(device);
  const DeviceStream stream(device, {});
  copy_of<float>(stream, plan.parts()), copy_of<double>(stream, plan.parts());
}

template const TermCopy<float>& copy_of(const DeviceStream&, const ContentPlan::Parts&);
template const TermCopy<double>& copy_of(const DeviceStream&, const ContentPlan::Parts&);

}  // namespace posenc::cuda
