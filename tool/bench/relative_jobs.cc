// relative_jobs.cc: biases as a table, added to scores, and attention with them.
#include "base/dispatch.h"
#include "posenc/attend.h"
#include "truth.h"
#include "warm.h"

namespace posenc::bench {
namespace {

constexpr int64_t buckets = 32, max_distance = 128;

// Entry i of the learned table; contenders/torch_peer.py has the same.
double table_at(int64_t i) { return 0.25 * static_cast<double>(i % 7); }

BiasPlan bias_plan(const Case& c) {
  if (c.encoding == Encoded::alibi) return prepare(Alibi{.heads = c.batch});
  std::vector<float> table;
  for (int64_t i = 0; i < buckets * c.batch; ++i) table.push_back(static_cast<float>(table_at(i)));
  const Tensor weights[] = {tensor(table.data(), {buckets, c.batch})};
  return prepare(T5Bias{.heads = c.batch}, {.weights = weights});
}

// The formulas as their papers write them.
double plain_bias(const Case& c, int64_t head, int64_t query, int64_t key) {
  const auto distance = static_cast<double>(std::abs(key - query));
  if (c.encoding == Encoded::alibi)
    return -std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(c.batch)) *
           distance;
  const double exact = buckets / 4.0;
  const double grow = std::log(std::max(distance, 1.0) / exact) / std::log(max_distance / exact);
  const auto far = static_cast<int64_t>(exact + grow * exact + 1e-9);
  const int64_t near =
      distance < exact ? static_cast<int64_t>(distance) : std::min<int64_t>(far, buckets / 2 - 1);
  return table_at((near + (key > query ? buckets / 2 : 0)) * c.batch + head);
}

template <class T>
Job dense_job(const Case& c) {
  const int64_t n = c.batch * c.tokens * c.dim;
  const auto out = warm<T>(n, T{});
  const Tensor scores = tensor(out.get(), {c.batch, c.tokens, c.dim});
  const bool adds = c.verb == Verb::bias_add;
  const ScoreOptions at{.queries = range(c.first)};
  const auto work = [=, plan = bias_plan(c)] {
    (void)out;
    adds ? add(plan, scores, scores, at) : fill(plan, scores, at);
  };
  work();
  check(c, out.get(), c.batch * c.tokens, [&](int64_t row, int64_t key) {
    return Truth{plain_bias(c, row / c.tokens, c.first + row % c.tokens, key), 0};
  });
  return {work, n, (adds ? 2 : 1) * n * size_of(c.dtype), adds ? Traffic::rewrite : Traffic::write,
          head_of(out.get() + n - c.dim)};
}

Plan encoding_of(const Case& c) {
  if (c.encoding == Encoded::rope) return prepare(Rope{.dim = c.dim, .layout = Layout::half});
  return bias_plan(c);
}

// Attention with an encoding, beside the same without.
Job attend_job(const Case& c) {
  const int64_t n = c.tokens * c.batch * c.dim;
  const auto memory = warm<float>(4 * n, 0.0F);
  for (int64_t i = 0; i < 3 * n; ++i)
    memory[i] = static_cast<float>(scattered(i)) * 0x1p-20F - 0.5F;
  const auto part = [&](int64_t i) {
    return tensor(memory.get() + i * n, {c.tokens, c.batch, c.dim});
  };
  const QueriesKeysValues in{part(0), part(1), part(2)};
  const Tensor out = part(3);
  const auto with = [=](const Plan& encoding) {
    return [=] {
      (void)memory;
      attend(encoding, in, out, {.causal = true});
    };
  };
  Job job{with(encoding_of(c)), n, 4 * n * size_of(DType::f32)};
  job.without = with(Plan{});
  return job;
}

}  // namespace

Job make_relative_job(const Case& c) {
  if (c.verb == Verb::attend) return attend_job(c);
  return dispatch(c.dtype, [&]<class T>() { return dense_job<T>(c); });
}

}  // namespace posenc::bench
