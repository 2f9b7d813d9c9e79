// bias_profile.cu: profiles on a device, and what plans keep there.
#include "cuda/bias.h"

#include <deque>

namespace posenc::cuda {
namespace {

using Wanted = CallProfile::Wanted;

struct KeptProfile {
  Wanted is;
  DeviceMemory memory;

  // Of the same numbers, for these heads at least.
  bool is_like(const Wanted& w) const {
    return is.dtype == w.dtype && is.factor == w.factor && is.first_head <= w.first_head &&
           w.first_head + w.heads <= is.first_head + is.heads;
  }
};

// What a device keeps of a formula. Profiles stay when longer ones replace them, since work that
// reads them may be queued, or captured.
struct FormulaCopy {
  explicit FormulaCopy(DeviceMemory numbers) : block(std::move(numbers)) {}
  DeviceMemory block;
  mutable std::mutex mutex{};
  mutable std::deque<KeptProfile> profiles{};
};

const FormulaCopy& copy_of(const DeviceStream& stream, const BiasFormula& formula) {
  return formula.copies->get<FormulaCopy>(stream.device(), [&] {
    return DeviceMemory(stream, formula.block.data(), formula.block.size() * sizeof(double),
                        "the weights of a bias");
  });
}

int64_t ld_of(const Wanted& w) { return pieces(w.range.count, 64) * 64; }
int64_t bytes_of(const Wanted& w) { return ld_of(w) * w.heads * size_of(w.dtype); }

void fill(const DeviceStream& stream, const BiasFormula& formula, const Wanted& w, char* to) {
  const int64_t shape[] = {w.heads, w.range.count};
  Tensor out = tensor(to, w.dtype, shape);
  out.stride[0] = ld_of(w), out.device = Device::cuda, out.device_index = stream.device();
  run(ProfileOrder{formula, w.first_head, w.range.first, w.factor, out, stream.handle()});
}

// That of heads from `first` on.
DeviceProfile profile_in(const char* data, const Wanted& w, int64_t first) {
  const int64_t skipped = (first - w.first_head) * ld_of(w) * size_of(w.dtype);
  return {data + skipped, w.range.first, w.range.count, ld_of(w)};
}

const KeptProfile& make_kept(const DeviceStream& stream, const BiasFormula& formula,
                             const Wanted& w) {
  return copy_of(stream, formula)
      .profiles.emplace_back(KeptProfile{
          w, DeviceMemory(stream, static_cast<size_t>(bytes_of(w)), "a profile of biases",
                          [&](char* to) { fill(stream, formula, w, to); })});
}

// One that holds the range, made now if it can be kept.
DeviceProfile find_kept(const DeviceStream& stream, const BiasFormula& formula, Wanted wanted) {
  const FormulaCopy& copy = copy_of(stream, formula);
  const std::scoped_lock lock(copy.mutex);
  const int64_t first = wanted.first_head;
  Range last{};
  int64_t left = most_kept_bytes;
  for (const KeptProfile& p : copy.profiles) {
    left -= bytes_of(p.is);
    if (!p.is_like(wanted)) continue;
    if (p.is.range.holds(wanted.range)) return profile_in(p.memory.data(), p.is, first);
    last = p.is.range;
  }
  wanted.range = grown(last, wanted.range, left / (wanted.heads * size_of(wanted.dtype)) - 64);
  const bool apart = last.count > 0 && !wanted.range.holds(last);  // not worth to be kept
  if (apart || bytes_of(wanted) > left || stream.is_captured()) return {};
  return profile_in(make_kept(stream, formula, wanted).memory.data(), wanted, first);
}

}  // namespace

const double* block_on(const DeviceStream& stream, const BiasFormula& formula) {
  const auto* kept = reinterpret_cast<const double*>(copy_of(stream, formula).block.data());
  return formula.device_weights.empty() ? kept : gather_block(stream, formula, kept);
}

CallProfile::CallProfile(const DeviceStream& stream, const BiasFormula& formula,
                         const Wanted& wanted, bool always)
    : profile(formula.device_weights.empty() ? find_kept(stream, formula, wanted)
                                             : DeviceProfile{}) {
  if (profile.is_there() || !always) return;
  own_.emplace(stream, bytes_of(wanted));
  fill(stream, formula, wanted, own_->data());
  profile = profile_in(own_->data(), wanted, wanted.first_head);
}

void keep(const BiasFormula& formula, int64_t heads, Range range, int device) {
  check_there(device);
  const DeviceStream stream(device, {});
  block_on(stream, formula);
  if (range.count > 0) make_kept(stream, formula, {range, DType::f32, 1, 0, heads});
}

// As scores of one query at 0.
void run(const ProfileOrder& order) {
  const DeviceStream stream(order.out, order.stream);
  Tensor out = order.out;
  out.rank = 3;
  out.shape = {order.out.size(0), 1, order.out.size(1)};
  out.stride = {order.out.step(0), 0, order.out.step(1)};
  const BiasSource bias{&order.formula, Reads::both, order.first_head, order.factor};
  const ScorePlaces at{{range(), 1}, {range(order.first), out.size(2)}};
  add_pairs(stream, {bias, at, out}, {});
}

}  // namespace posenc::cuda
