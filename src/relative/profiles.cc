// profiles.cc: profiles that plans keep.
#include "orders/orders.h"
#include "relative/plan.h"

namespace posenc {
namespace {

Profile make_profile(const BiasFormula& formula, int64_t heads, DType dtype, double factor,
                     Range range) {
  constexpr int64_t line = 64;  // bytes that are fetched together
  const int64_t size = size_of(dtype), padded = (range.count * size + line - 1) / line * line;
  const int64_t ld =
      (padded + line) / size;  // padded: rows a power of two apart would share cache sets
  Profile out{range, ld, Scratch<char>(heads * ld * size)};
  const int64_t shape[] = {heads, range.count};
  Tensor rows = tensor(out.memory.data(), dtype, shape);
  rows.stride[0] = ld;
  run(ProfileOrder{formula, 0, range.first, factor, rows});
  return out;
}

}  // namespace

const KeptProfiles::ProfileSlot* KeptProfiles::slot_of(DType dtype, double factor) const {
  const std::scoped_lock lock(mutex_);
  for (size_t i = 0; i < used_; ++i)
    if (slots_[i].dtype == dtype && slots_[i].factor == factor) return &slots_[i];
  if (used_ == std::size(slots_)) return nullptr;
  ProfileSlot& slot = slots_[used_++];
  slot.dtype = dtype, slot.factor = factor;
  return &slot;
}

Borrowed<Profile> KeptProfiles::get(const BiasFormula& formula, int64_t heads, DType dtype,
                                    double factor, Range wanted) const {
  const auto make = [&](const Range& range) {
    return make_profile(formula, heads, dtype, factor, range);
  };
  const ProfileSlot* slot = slot_of(dtype, factor);
  if (!slot) return {nullptr, make(wanted)};
  if (auto found = slot->profile.now(); found && found->range.holds(wanted)) return {found, {}};
  int64_t bytes = most_kept_bytes;
  for (const ProfileSlot& other : slots_)
    if (const auto held = other.profile.now(); held && &other != slot) bytes -= held->memory.size();
  return slot->profile.get(wanted, bytes / (heads * size_of(dtype)), make);
}

Range KeptProfiles::keep(const BiasFormula& formula, int64_t heads, int64_t positions) const {
  if (positions < 0 || positions > INT64_MAX / 32 / heads)
    fail("prepare", "expected positions to keep of at least 0 that fit 64 bits, got ", positions);
  if (positions == 0 || formula.reads == Reads::both) return {};
  const Range range = formula.reads == Reads::entry ? Range{0, formula.window.count()}
                      : formula.reads == Reads::key ? Range{0, positions}
                                                    : Range{1 - positions, 2 * positions - 1};
  try {
    slot_of(DType::f32, 1)->profile.keep(make_profile(formula, heads, DType::f32, 1, range));
  } catch (const std::bad_alloc&) {
    fail("prepare", "expected a profile to keep that fits memory, got ", range.count,
         " numbers for each of ", heads, " heads");
  }
  return range;
}

}  // namespace posenc
