// jobs.cc: sets up the memory of a case, runs it once and checks the result.
#include "base/dispatch.h"

#include <memory>
#include "truth.h"
#include "warm.h"

namespace posenc::bench {
namespace {

constexpr int64_t vocabulary = 32000;

AbsolutePlan plan_for(const Case& c) {
  return prepare(Sinusoidal{.dim = c.dim}, {.keep = c.kept ? c.tokens : 0});
}
int64_t row_count(const Case& c) { return c.batch * c.tokens; }

std::shared_ptr<int64_t[]> scattered_ids(int64_t n, int64_t below) {
  auto ids = warm<int64_t>(n, 0);
  for (int64_t i = 0; i < n; ++i) ids[i] = scattered(i) % below;
  return ids;
}

// Where token t of a row stands; the memory of explicit ids comes along.
struct Where {
  Positions at;
  std::shared_ptr<int64_t[]> ids;
  int64_t position(int64_t t) const { return ids ? ids[t] : at.first + t; }
};

Where where(const Case& c) {
  if (c.ids == Ids::none) return {range(c.first), nullptr};
  auto ids = scattered_ids(c.tokens, int64_t{1} << 20);
  if (c.ids == Ids::consecutive)
    for (int64_t t = 0; t < c.tokens; ++t) ids[t] = t;
  return {positions(tensor(ids.get(), {c.tokens})), ids};
}

template <class T>
Job fill_job(const Case& c) {
  const int64_t n = row_count(c) * c.dim;
  const auto memory = warm<T>(n + c.misaligned, T{});
  T* out = memory.get() + c.misaligned;
  const Tensor table = tensor(out, {c.tokens, c.dim});
  const auto work = [=, at = where(c), plan = plan_for(c)] {
    (void)memory;
    fill(plan, table, at.at);
  };
  work();
  const Where at = where(c);
  check(c, out, c.tokens,
        [&](int64_t row, int64_t col) { return plain_row(at.position(row), col, c.dim); });
  return {work, n, n * size_of(c.dtype), Traffic::write, head_of(out + n - c.dim)};
}

template <class T>
Job add_job(const Case& c) {
  const int64_t n = row_count(c) * c.dim;
  const auto memory = warm<T>(n, rounded_to<T>(0.5));
  const Tensor x = tensor(memory.get(), {c.batch, c.tokens, c.dim});
  const auto work = [=, at = where(c), plan = plan_for(c)] {
    (void)memory;
    add(plan, x, x, at.at);
  };
  work();
  const Where at = where(c);
  check(c, memory.get(), row_count(c), [&](int64_t row, int64_t col) {
    const Truth pe = plain_row(at.position(row % c.tokens), col, c.dim);
    return Truth{0.5 + pe.value, pe.doubt};
  });
  return {work, n, 2 * n * size_of(c.dtype), Traffic::rewrite, head_of(memory.get() + n - c.dim)};
}

// Row v of the embedding holds this number; contenders/serve.py has the same.
double embedding_of(int64_t v) { return 0.25 * static_cast<double>(v % 7); }

template <class T>
Job embed_job(const Case& c) {
  const int64_t n = row_count(c) * c.dim;
  const double scale = std::sqrt(static_cast<double>(c.dim));
  const auto out = warm<T>(n, T{}), table = warm<T>(vocabulary * c.dim, T{});
  for (int64_t i = 0; i < vocabulary * c.dim; ++i)
    table[i] = rounded_to<T>(static_cast<Compute<T>>(embedding_of(i / c.dim)));
  const auto ids = scattered_ids(row_count(c), vocabulary);
  const auto work = [=, plan = plan_for(c)] {
    embed(plan, tensor(ids.get(), {c.batch, c.tokens}), tensor(table.get(), {vocabulary, c.dim}),
          tensor(out.get(), {c.batch, c.tokens, c.dim}), {.scale = scale});
  };
  work();
  check(c, out.get(), row_count(c), [&](int64_t row, int64_t col) {
    const Truth pe = plain_row(row % c.tokens, col, c.dim);
    return Truth{scale * embedding_of(ids[row]) + pe.value, pe.doubt};
  });
  return {work, n, 2 * n * size_of(c.dtype) + row_count(c) * 8, Traffic::copy,
          head_of(out.get() + n - c.dim)};
}

template <class T>
Job scatter_job(const Case& c) {
  const int64_t n = row_count(c) * c.dim;
  const auto dout = warm<T>(n, rounded_to<T>(0.5));
  const auto sum = warm<Compute<T>>(vocabulary * c.dim, 0);
  const auto ids = scattered_ids(row_count(c), vocabulary);
  const auto work = [=] {
    embed_backward(tensor(ids.get(), {c.batch, c.tokens}),
                   tensor(dout.get(), {c.batch, c.tokens, c.dim}),
                   tensor(sum.get(), {vocabulary, c.dim}));
  };
  work();
  std::vector<double> expected(vocabulary);
  for (int64_t i = 0; i < row_count(c); ++i) expected[static_cast<size_t>(ids[i])] += 0.5;
  check(c, sum.get(), vocabulary, [&](int64_t row, int64_t) {
    return Truth{expected[static_cast<size_t>(row)], 0};
  });
  const int64_t sums = 2 * n * static_cast<int64_t>(sizeof(Compute<T>));
  return {work, n, n * size_of(c.dtype) + sums + row_count(c) * 8, Traffic::copy,
          head_of(sum.get() + ids[row_count(c) - 1] * c.dim)};
}

Job prepare_job(const Case& c) {
  return {[=] { plan_for(c); }, c.dim, 0, Traffic::none};
}

}  // namespace

Job make_job(const Case& c) {
  return dispatch(c.dtype, [&]<class T>() {
    switch (c.verb) {
      case Verb::fill:
        return fill_job<T>(c);
      case Verb::add:
        return add_job<T>(c);
      case Verb::embed:
        return embed_job<T>(c);
      case Verb::scatter:
        return scatter_job<T>(c);
      case Verb::rotate:
      case Verb::rotate_adjoint:
        return make_rotary_job(c);
      case Verb::bias:
      case Verb::bias_add:
      case Verb::attend:
        return make_relative_job(c);
      default:
        return prepare_job(c);
    }
  });
}

}  // namespace posenc::bench
