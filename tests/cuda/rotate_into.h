// rotate_into.h: a call of rotate_into() on the CPU and the same on a device.
#pragma once

#include "tests/cuda/device.h"
#include "tests/rotate_into/call.h"

namespace posenc {

// Tensors of a device that a call refers to; a tensor of rank 0 stays one.
class Copies {
 public:
  Tensor operator()(const Tensor& host) {
    if (host.rank == 0) return host;
    for (size_t i = 0; i < hosts_.size(); ++i)
      if (hosts_[i] == host.data) return views_[i];
    all_.emplace_back(host), hosts_.push_back(host.data), views_.push_back(all_.back().view());
    return views_.back();
  }
  QueriesKeys operator()(const QueriesKeys& x) { return {(*this)(x.q), (*this)(x.k)}; }
  Positions operator()(Positions at) {
    if (!at.is_range()) at.ids = (*this)(at.ids);
    return at;
  }
  RotateIntoOptions operator()(RotateIntoOptions o) {
    for (Tensor* t : {&o.norm.q, &o.norm.k, &o.v, &o.cache.k, &o.cache.v, &o.cache.slots,
                      &o.cache.block_table, &o.cache.sequences})
      *t = (*this)(*t);
    if (o.cache.at) o.cache.at = (*this)(*o.cache.at);
    return o;
  }
  void fetch() const {
    for (const OnDevice& t : all_) t.fetch();
  }

 private:
  std::vector<OnDevice> all_;
  std::vector<void*> hosts_;
  std::vector<Tensor> views_;
};

// Both are off by the errors of a norm (see plain_norm) on both numbers of a pair, of their cosines
// and sines, and of two products and a sum; and each rounds once. size: the largest number of the
// head, which is at most sqrt(2) smaller than its largest pair.
inline double allowed(DType dtype, DType to, bool normed, int64_t dim, double size) {
  const DType c = compute_type(dtype);
  const double norm =
      normed ? 2 * 1.01 * ((static_cast<double>(dim) + 4) / 2 + 6) * unit(dtype) : 0;
  const double angle = 2 * (row_error(c, 1) + device_row_error(c, 1));
  const double off = 1.5 * size * (norm + angle) + 6 * half_ulp(c, size);
  return off + 2 * half_ulp(to, size + off);
}

inline void expect_heads(const Tensor& got, const Tensor& wanted, DType dtype, bool normed,
                         const char* what) {
  const int64_t dim = wanted.size(-1);
  for (int64_t head = 0; head < wanted.elements(); head += dim) {
    double size = 0;
    for (int64_t f = 0; f < dim; ++f) size = std::max(size, std::abs(get(wanted, head + f)));
    for (int64_t f = 0; f < dim; ++f)
      ASSERT_NEAR(get(got, head + f), get(wanted, head + f),
                  allowed(dtype, wanted.dtype, normed, dim, size))
          << what << " " << head / dim << ", " << f;
  }
}

// A call on memory of its own, the same for the CPU and the device.
struct Both {
  struct One {
    Random random{1};
    TestSlots to;
    RotateIntoMemory m;
    QueriesKeys in, out;
    RotateIntoOptions options;

    One(const RotateIntoCase& s, int64_t dim, DType dtype)
        : to(s, random), m(s, to, dim, dtype, random) {
      in = {s.q ? m.q.view() : Tensor{}, s.k ? m.k.view() : Tensor{}};
      out = s.in_place ? in : QueriesKeys{m.q_to.view(), m.k_to.view()};
      if (!s.q) out.q = {};
      if (!s.k || !s.k_out) out.k = {};
      options.norm = {s.norm_q && s.q ? m.q_weights.view() : Tensor{},
                      s.norm_k && s.k ? m.k_weights.view() : Tensor{}, s.epsilon, s.one_plus};
      const auto pages = [&](const Guarded& g) {
        return s.hnd ? permuted(g.view(), {0, 2, 1, 3}) : g.view();
      };
      if (s.k) options.cache.k = pages(m.k_pages);
      if (s.v) options.cache.v = pages(m.v_pages), options.v = m.v.view();
      if (s.k || s.v) to.tell(options.cache);
    }
    // The same pages, from the last one on.
    void flip_pages() {
      for (Tensor* t : {&options.cache.k, &options.cache.v})
        t->data = element(*t, t->elements() / t->size(0) * (t->size(0) - 1)), t->stride[0] *= -1;
    }
  } here, there;

  Both(const RotateIntoCase& s, int64_t dim, DType dtype)
      : here(s, dim, dtype), there(s, dim, dtype) {}
};

inline void expect_rotated_into_alike(const RotaryPlan& plan, const RotateIntoCase& s, DType dtype,
                                      const TestPlaces& at = TestPlaces(100), bool flips = false) {
  SCOPED_TRACE(std::string(to_string(dtype)) + " to " + std::string(to_string(s.cache)) + ", " +
               std::to_string(plan.scheme().dim) + " " +
               std::string(enum_name(plan.scheme().layout.value_or(Layout::half))) + ", " +
               at.name());
  Both b(s, plan.scheme().dim, dtype);
  if (flips) b.here.flip_pages(), b.there.flip_pages();
  rotate_into(plan, b.here.in, b.here.out, b.here.options, at.at());
  Copies copy;
  const QueriesKeys in = copy(b.there.in), out = copy(b.there.out);
  const RotateIntoOptions options = copy(b.there.options);
  rotate_into(plan, in, out, options, copy(at.at()));
  copy.fetch();
  for (const Guarded* g : b.there.m.all()) ASSERT_TRUE(g->intact());
  const RotateIntoOptions &got = b.there.options, &wanted = b.here.options;
  if (s.q) expect_heads(b.there.out.q, b.here.out.q, dtype, s.norm_q, "q head");
  if (s.k && s.k_out) expect_heads(b.there.out.k, b.here.out.k, dtype, s.norm_k, "k head");
  if (s.k) expect_heads(got.cache.k, wanted.cache.k, dtype, s.norm_k, "k of the cache");
  if (s.v) {
    ASSERT_EQ(numbers(got.cache.v), numbers(wanted.cache.v));
  }
  ASSERT_EQ(numbers(b.there.m.v.view()), numbers(b.here.m.v.view()));
  if (!s.in_place) {
    ASSERT_EQ(numbers(b.there.m.k.view()), numbers(b.here.m.k.view()));
  }
}

}  // namespace posenc
