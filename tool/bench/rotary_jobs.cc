// rotary_jobs.cc: queries and keys rotated in place.
#include "base/dispatch.h"

#include <memory>
#include "truth.h"
#include "warm.h"

namespace posenc::bench {
namespace {

// Element i of the queries and of the keys; contenders/torch_peer.py has the same.
double input_at(int64_t i) { return 0.25 * static_cast<double>(i % 7 + 1); }

template <class T>
std::shared_ptr<T[]> inputs(int64_t count) {
  auto x = warm<T>(count, T{});
  for (int64_t i = 0; i < count; ++i) x[i] = rounded_to<T>(static_cast<Compute<T>>(input_at(i)));
  return x;
}

// Where the partner of a feature lies, and whether the feature is the second of the two.
struct Partner {
  int64_t column, pair;
  bool second;
};
Partner partner_of(Layout layout, int64_t column, int64_t dim) {
  if (layout == Layout::interleaved) return {column ^ 1, column / 2, column % 2 == 1};
  const int64_t half = dim / 2;
  return {(column + half) % dim, column % half, column >= half};
}

// Two roundings in the compute type and the error of a row, for each number of the pair.
Truth plain_turn(const Case& c, int64_t heads, int64_t row, int64_t column) {
  const Partner partner = partner_of(c.layout, column, c.dim);
  const int64_t position = row / heads;
  const Truth sine = plain_row(position, 2 * partner.pair, c.dim);
  const Truth cosine = plain_row(position, 2 * partner.pair + 1, c.dim);
  const double own = input_at(row * c.dim + column), other = input_at(row * c.dim + partner.column);
  const bool plus = partner.second == (c.verb == Verb::rotate);
  const double error = c.dtype == DType::f64 ? 6e-16 : 3.1e-8 + 0x1p-23;
  return {own * cosine.value + (plus ? other : -other) * sine.value,
          (error + sine.doubt) * (own + other)};
}

template <class T>
Job rotary_job(const Case& c) {
  const int64_t queries = c.tokens * query_heads * c.dim, keys = c.tokens * key_heads * c.dim;
  const auto q = inputs<T>(queries), k = inputs<T>(keys);
  const QueriesKeys both{tensor(q.get(), {c.tokens, query_heads, c.dim}),
                         tensor(k.get(), {c.tokens, key_heads, c.dim})};
  const auto plan = prepare(Rope{.dim = c.dim, .layout = c.layout},
                            {.length = c.tokens, .keep = c.kept ? c.tokens : 0});
  using Turn =
      void (*)(const RotaryPlan&, const QueriesKeys&, const QueriesKeys&, const Positions&, Stream);
  const Turn turn =
      c.verb == Verb::rotate ? static_cast<Turn>(rotate) : static_cast<Turn>(rotate_adjoint);
  const auto work = [=] {
    (void)q, (void)k;
    turn(plan, both, both, range(), {});
  };
  work();
  const auto check_turn = [&](const T* x, int64_t heads) {
    check(c, x, c.tokens * heads,
          [&](int64_t row, int64_t column) { return plain_turn(c, heads, row, column); });
  };
  check_turn(q.get(), query_heads), check_turn(k.get(), key_heads);
  const int64_t n = queries + keys;
  return {work, n, 2 * n * size_of(c.dtype), Traffic::rewrite, head_of(k.get() + keys - c.dim)};
}

}  // namespace

Job make_rotary_job(const Case& c) {
  return dispatch(c.dtype, [&]<class T>() { return rotary_job<T>(c); });
}

}  // namespace posenc::bench
