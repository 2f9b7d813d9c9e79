// bias.cu: biases added to scores, and biases alone.
#include "cuda/bias.h"

namespace posenc::cuda {
namespace {

// What a profile for positions that the host cannot read should hold: those of so many tokens, each
// somewhere from 0 on.
Range around_zero(Reads reads, int64_t tokens) {
  return reads == Reads::key ? Range{0, tokens} : Range{1 - tokens, 2 * tokens - 1};
}

void add_given(const DeviceStream& stream, const BiasCall& call, bool ranges) {
  const BiasSource& b = call.bias;
  const DeviceProfile given{b.profile, b.range.first, b.range.count, b.ld, b.step, b.factor};
  ranges ? add_along(stream, call, given) : add_pairs(stream, call, given);
}

void add_all(const DeviceStream& stream, const BiasCall& call) {
  const ScorePlaces& at = call.at;
  const BiasSource& b = call.bias;
  const bool ranges = at.queries.at.is_range() && at.keys.at.is_range();
  if (!b.formula) return add_given(stream, call, ranges);
  if (!at.whole() || b.reads == Reads::both || b.reads == Reads::entry)
    return add_pairs(stream, call, {});
  const Range range =
      ranges ? b.range : around_zero(b.reads, std::max(at.queries.tokens, at.keys.tokens));
  const bool pays = at.rows * at.queries.tokens * at.keys.tokens >= range.count;
  const CallProfile on(
      stream, *b.formula,
      {range, compute_type(call.out.dtype), b.factor, b.first_head, call.out.size(-3)},
      ranges || pays);
  ranges ? add_along(stream, call, on.profile) : add_pairs(stream, call, on.profile);
}

}  // namespace

void run(const AddBiasOrder& order) {
  const DeviceStream stream(order.out, order.stream);
  add_all(stream, {order.bias, order.at, order.out, &order.scores, order.scale});
}

void run(const FillBiasOrder& order) {
  const DeviceStream stream(order.out, order.stream);
  add_all(stream, {order.bias, order.at, order.out});
}

}  // namespace posenc::cuda
