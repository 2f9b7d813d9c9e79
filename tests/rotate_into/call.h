// call.h: a call of rotate_into(), and all that it may and may not change.
#pragma once

#include "tests/rotate_into/cases.h"

namespace posenc {

// Memory of a call; caches hold random numbers before it.
struct RotateIntoMemory {
  Guarded q, k, v, q_to, k_to, k_pages, v_pages, q_weights, k_weights;

  static std::vector<int64_t> pages(const RotateIntoCase& s, const TestSlots& to, int64_t heads,
                                    int64_t dim) {
    if (s.hnd) return {to.pages, heads, to.page_size, dim};
    return {to.pages, to.page_size, heads, dim};
  }
  RotateIntoMemory(const RotateIntoCase& s, const TestSlots& to, int64_t dim, DType dtype,
                   Random& random)
      : q(dtype, s.shape(s.q_heads, dim), s.in),
        k(dtype, s.shape(s.k_heads, dim), s.in),
        v(dtype, s.shape(s.v_heads, s.value_dim), s.in),
        q_to(dtype, s.shape(s.q_heads, dim), s.out),
        k_to(dtype, s.shape(s.k_heads, dim), s.out),
        k_pages(s.cache, pages(s, to, s.k_heads, dim), s.pages),
        v_pages(s.cache, pages(s, to, s.v_heads, s.value_dim), s.pages),
        q_weights(s.weights, {dim}, Placement::spaced),
        k_weights(s.weights, {dim}) {
    for (const Guarded* g : all()) randomize(g->view(), random, -4, 4);
  }
  std::vector<const Guarded*> all() const {
    return {&q, &k, &v, &q_to, &k_to, &k_pages, &v_pages, &q_weights, &k_weights};
  }
};

class Call {
 public:
  Call(const RotaryPlan& plan, const RotateIntoCase& s, DType dtype, const TestPlaces& at)
      : plan_(plan),
        s_(s),
        dtype_(dtype),
        at_(at),
        random_(1),
        to_(s, random_),
        m_(s, to_, plan.scheme().dim, dtype, random_) {}

  void run() {
    in_ = {s_.q ? m_.q.view() : Tensor{}, s_.k ? m_.k.view() : Tensor{}};
    out_ = s_.in_place ? in_ : QueriesKeys{m_.q_to.view(), m_.k_to.view()};
    if (!s_.q) out_.q = {};
    if (!s_.k || !s_.k_out) out_.k = {};
    options_.norm = {s_.norm_q && s_.q ? m_.q_weights.view() : Tensor{},
                     s_.norm_k && s_.k ? m_.k_weights.view() : Tensor{}, s_.epsilon, s_.one_plus};
    if (s_.k) options_.cache.k = pages(m_.k_pages);
    if (s_.v) options_.cache.v = pages(m_.v_pages), options_.v = m_.v.view();
    if (s_.k || s_.v) to_.tell(options_.cache);
    for (const Guarded* g : m_.all()) before_.push_back(numbers(g->view()));
    k_before_ = numbers(pages(m_.k_pages)), v_before_ = numbers(pages(m_.v_pages));
    rotate_into(plan_, in_, out_, options_, at_.at());
    check();
  }

 private:
  Tensor pages(const Guarded& g) const {
    return s_.hnd ? permuted(g.view(), {0, 2, 1, 3}) : g.view();
  }

  void check() const {
    for (size_t i = 0; i < before_.size(); ++i) {
      const Guarded* g = m_.all()[i];
      EXPECT_TRUE(g->intact());
      const void* p = g->view().data;
      const bool written = p == out_.q.data || p == out_.k.data || p == options_.cache.k.data ||
                           p == options_.cache.v.data;
      EXPECT_TRUE(written || numbers(g->view()) == before_[i]) << "tensor " << i;
    }
    const auto k_pages = numbers(pages(m_.k_pages)), v_pages = numbers(pages(m_.v_pages));
    if (s_.q) check_heads(true, before_[0], before_[7], numbers(out_.q), nullptr);
    if (s_.k)
      check_heads(false, before_[1], before_[8], s_.k_out ? numbers(out_.k) : std::vector<double>{},
                  &k_pages);
    if (s_.k) check_others(k_before_, k_pages, s_.k_heads * plan_.scheme().dim);
    if (s_.v) check_values(v_pages), check_others(v_before_, v_pages, s_.v_heads * s_.value_dim);
  }

  // Where a head of a token lies in a cache, if it does.
  std::optional<std::vector<double>> stored(const std::vector<double>& cache, int64_t token,
                                            int64_t heads, int64_t head, int64_t dim) const {
    const Slot& slot = to_.slots[static_cast<size_t>(token)];
    if (!slot) return {};
    return head_of(cache, (slot->first * to_.page_size + slot->second) * heads + head, dim);
  }

  void check_heads(bool is_query, const std::vector<double>& x, const std::vector<double>& weights,
                   const std::vector<double>& out, const std::vector<double>* cache) const {
    const Tensor& like = is_query ? in_.q : in_.k;
    const bool normed = is_query ? s_.norm_q : s_.norm_k;
    for_heads(plan_, like, is_query, at_, [&](const HeadMatrix& m, int64_t n) {
      const auto head = plain_norm(dtype_, head_of(x, n, m.dim),
                                   normed ? weights : std::vector<double>{}, options_.norm);
      const std::string where = (is_query ? "q head " : "k head ") + std::to_string(n);
      if (!out.empty()) expect_head(m, head, dtype_, dtype_, head_of(out, n, m.dim), where);
      if (!cache) return;
      const auto kept = stored(*cache, n / s_.k_heads, s_.k_heads, n % s_.k_heads, m.dim);
      if (kept) expect_head(m, head, dtype_, s_.cache, *kept, where + " in the cache");
    });
  }

  void check_values(const std::vector<double>& cache) const {
    for (int64_t n = 0; n < s_.rows() * s_.tokens * s_.v_heads; ++n) {
      const auto x = head_of(before_[2], n, s_.value_dim);
      const auto kept = stored(cache, n / s_.v_heads, s_.v_heads, n % s_.v_heads, s_.value_dim);
      for (size_t f = 0; kept && f < x.size(); ++f) {
        const bool exact = s_.cache == dtype_ || s_.cache == DType::f64;
        ASSERT_NEAR((*kept)[f], x[f], exact ? 0 : half_ulp(s_.cache, std::abs(x[f])));
      }
    }
  }

  // Slots that no token goes to are as they were.
  void check_others(const std::vector<double>& before, const std::vector<double>& after,
                    int64_t width) const {
    std::map<int64_t, int> used;
    for (const Slot& slot : to_.slots)
      if (slot) ++used[slot->first * to_.page_size + slot->second];
    for (int64_t n = 0; n < to_.pages * to_.page_size; ++n)
      ASSERT_TRUE(used.contains(n) || head_of(after, n, width) == head_of(before, n, width))
          << "slot " << n;
  }

  const RotaryPlan& plan_;
  const RotateIntoCase& s_;
  DType dtype_;
  const TestPlaces& at_;
  Random random_;
  TestSlots to_;
  RotateIntoMemory m_;
  QueriesKeys in_, out_;
  RotateIntoOptions options_;
  std::vector<std::vector<double>> before_;
  std::vector<double> k_before_, v_before_;
};

inline void expect_rotated_into(const RotaryPlan& plan, const RotateIntoCase& s, DType dtype,
                                const TestPlaces& at = TestPlaces(100)) {
  SCOPED_TRACE(std::string(to_string(dtype)) + " to " + std::string(to_string(s.cache)));
  Call(plan, s, dtype, at).run();
}

}  // namespace posenc
