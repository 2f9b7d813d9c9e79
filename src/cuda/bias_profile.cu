// bias_profile.cu: profiles on a device, and what plans keep there.
#include "cuda/bias.h"

namespace posenc::cuda {
namespace {

using Wanted = CallProfile::Wanted;

struct KeptProfile {
  Wanted is;
  int64_t ld, bytes;
  Memory memory;

  bool is_like(const Wanted& w) const {
    return is.dtype == w.dtype && is.factor == w.factor && is.first_head == w.first_head &&
           is.heads == w.heads;
  }
};

// What a device keeps of a formula. Profiles stay when longer ones replace them, since work that
// reads them may be queued, or captured.
struct FormulaCopy {
  explicit FormulaCopy(Memory numbers) : block(std::move(numbers)) {}
  Memory block;
  mutable std::mutex mutex{};
  mutable std::vector<KeptProfile> profiles{};
};

const FormulaCopy& copy_of(const Place& place, const BiasFormula& formula) {
  return formula.copies->get<FormulaCopy>(place.device(), [&] {
    return Memory(place, formula.block.data(), formula.block.size() * sizeof(double),
                  "the weights of a bias");
  });
}

int64_t ld_of(const Wanted& w) { return pieces(w.range.count, 64) * 64; }

void fill(const Place& place, const BiasFormula& formula, const Wanted& w, char* to) {
  const int64_t shape[] = {w.heads, w.range.count};
  Tensor out = tensor(to, w.dtype, shape);
  out.stride[0] = ld_of(w), out.device = Device::cuda, out.device_index = place.device();
  run(ProfileOrder{formula, w.first_head, w.range.first, w.factor, out, place.stream()});
}

DeviceProfile profile_in(const char* data, const Wanted& w) {
  return {data, w.range.first, w.range.count, ld_of(w)};
}

// One that holds the range, made now if it can be kept.
DeviceProfile find_kept(const Place& place, const BiasFormula& formula, Wanted wanted) {
  const FormulaCopy& copy = copy_of(place, formula);
  const std::scoped_lock lock(copy.mutex);
  Range last{};
  int64_t left = most_kept_bytes;
  for (const KeptProfile& p : copy.profiles) {
    left -= p.bytes;
    if (!p.is_like(wanted)) continue;
    if (p.is.range.holds(wanted.range)) return profile_in(p.memory.data(), p.is);
    last = p.is.range;
  }
  const int64_t entry = wanted.heads * size_of(wanted.dtype);
  wanted.range = grown(last, wanted.range, left / entry - 64);
  const int64_t bytes = ld_of(wanted) * entry;
  if (bytes > left || place.is_captured()) return {};
  copy.profiles.push_back({wanted, ld_of(wanted), bytes,
                           Memory(place, static_cast<size_t>(bytes), "a profile of biases",
                                  [&](char* to) { fill(place, formula, wanted, to); })});
  return profile_in(copy.profiles.back().memory.data(), wanted);
}

}  // namespace

const double* block_on(const Place& place, const BiasFormula& formula) {
  return reinterpret_cast<const double*>(copy_of(place, formula).block.data());
}

CallProfile::CallProfile(const Place& place, const BiasFormula& formula, const Wanted& wanted,
                         bool always)
    : profile(find_kept(place, formula, wanted)) {
  if (profile.is_there() || !always) return;
  own_.emplace(place, ld_of(wanted) * wanted.heads * size_of(wanted.dtype));
  fill(place, formula, wanted, own_->data());
  profile = profile_in(own_->data(), wanted);
}

// As scores of one query at 0.
void run(const ProfileOrder& order) {
  const Place place(order.out, order.stream);
  Tensor out = order.out;
  out.rank = 3;
  out.shape = {order.out.size(0), 1, order.out.size(1)};
  out.stride = {order.out.step(0), 0, order.out.step(1)};
  const BiasSource bias{&order.formula, Reads::both, order.first_head, order.factor};
  const ScorePlaces at{{range(), 1}, {range(order.first), out.size(2)}};
  add_pairs(place, {bias, at, out}, {});
}

}  // namespace posenc::cuda
