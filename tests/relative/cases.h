// cases.h: every bias with small sizes, and what the verbs must do with it, pair by pair.
#pragma once

#include <limits>

#include "posenc/relative.h"
#include "relative/plan.h"
#include "tests/support/places.h"
#include "tests/support/weights.h"

namespace posenc {

inline constexpr int64_t case_heads = 6;
inline constexpr int64_t window_tokens = 15;  // of every window below, class token apart

// Small ones of each kind: its defaults, where nothing else is said; windows are 3 x 5.
template <class S>
std::vector<Bias> small(const S&) {
  S scheme;
  scheme.heads = case_heads;
  return {scheme};
}
inline std::vector<Bias> small(const Alibi&) {
  return {Alibi{.heads = case_heads},
          Alibi{.heads = case_heads, .form = AlibiForm::keys, .rounding = AlibiRounding::bf16},
          Alibi{.heads = case_heads, .square_root = true, .learned_slopes = true}};
}
inline std::vector<Bias> small(const T5Bias&) {
  return {T5Bias{.heads = case_heads, .buckets = 12, .max_distance = 20},
          T5Bias{.heads = case_heads, .buckets = 7, .bidirectional = false, .scale = 3}};
}
inline std::vector<Bias> small(const Clipped&) {
  std::vector<Bias> out;
  for (const auto form : {ClippedForm::full, ClippedForm::half_open, ClippedForm::symmetric})
    out.emplace_back(Clipped{.heads = case_heads, .max_distance = 4, .form = form});
  return out;
}
inline std::vector<Bias> small(const Kerple&) {
  std::vector<Bias> out;
  for (const auto form : {KerpleForm::log, KerpleForm::power, KerpleForm::log_power})
    out.emplace_back(
        Kerple{.heads = case_heads, .form = form, .clamp = form != KerpleForm::log_power});
  return out;
}
inline std::vector<Bias> small(const Sandwich&) { return {Sandwich{case_heads, 6}}; }
inline std::vector<Bias> small(const DynamicBias&) {
  return {DynamicBias{.heads = case_heads, .hidden = 5},
          DynamicBias{.heads = case_heads, .hidden = 4, .depth = 3, .log_distance = true},
          DynamicBias{.heads = case_heads, .hidden = 5, .log_distance = true, .layer_norm = true}};
}
inline std::vector<Bias> small(const Fire&) {
  return {Fire{.heads = case_heads, .hidden = 5, .length = 9.5}};
}
inline std::vector<Bias> small(const Tupe&) {
  const Tupe s{.heads = case_heads, .dim = 5, .rows = 12, .buckets = 12, .max_distance = 20};
  return {s, Tupe{.heads = case_heads, .dim = 4, .rows = 40, .buckets = 0, .class_token = false}};
}
inline std::vector<Bias> small(const WindowBias&) {
  std::vector<Bias> out;
  for (const auto table :
       {WindowTable::swin, WindowTable::beit, WindowTable::levit, WindowTable::maxvit})
    out.emplace_back(WindowBias{.heads = case_heads, .height = 3, .width = 5, .table = table});
  return out;
}
inline std::vector<Bias> small(const ContinuousBias&) {
  return {ContinuousBias{.heads = case_heads, .height = 3, .width = 5, .hidden = 7},
          ContinuousBias{.heads = case_heads,
                         .height = 5,
                         .width = 3,
                         .hidden = 4,
                         .form = ContinuousForm::plain}};
}

inline std::vector<Bias> small(const LayoutBias&) {
  return {LayoutBias{.heads = case_heads,
                     .buckets = 12,
                     .max_distance = 20,
                     .box_buckets = 8,
                     .box_max_distance = 9},
          LayoutBias{.heads = case_heads, .buckets = 8, .box_buckets = 16, .box_scale = 2.5},
          LayoutBias{.heads = case_heads, .buckets = 0, .box_buckets = 10, .scale = 0.125}};
}
inline std::vector<Bias> small(const SegmentBuckets&) {
  return {SegmentBuckets{
      .heads = case_heads, .buckets = 12, .max_distance = 20, .segments = window_tokens}};
}
inline std::vector<Bias> small(const BoxRelation&) {
  return {BoxRelation{.heads = case_heads, .dim = 6, .scale = 1.5, .eps = 0.25}};
}

inline std::vector<Bias> every_bias() {
  std::vector<Bias> out;
  for_each_alternative<Bias>([&](const auto& s) {
    for (const Bias& scheme : small(s)) out.push_back(scheme);
  });
  return out;
}

struct PreparedBias {
  Bias scheme;
  Weights weights;
  BiasPlan plan;

  // Whether positions run from 0 to window_tokens - 1.
  bool is_window() const {
    return plan.reads() == Reads::entry || plan.parts().formula.last_axis_end > 0;
  }
  bool whole() const { return plan.parts().formula.whole; }
  std::string text() const {
    return std::visit(
        [](const auto& s) {
          std::string out(s.name);
          for (const Option& o : options_of(s))
            if (const auto value = text::write(o.value); !value.empty())
              out += ", " + o.name + " " + value;
          return out;
        },
        scheme);
  }
};

inline PreparedBias prepare_random(const Bias& scheme, Random& random, DType dtype = DType::f64) {
  Weights w = random_weights(weights(scheme), random, dtype);
  if (std::get_if<Fire>(&scheme)) set(w.arrays[0].view(), 0, random.real(0.2, 0.6));
  BiasPlan plan = prepare(scheme, {.weights = w.views()});
  return {scheme, std::move(w), std::move(plan)};
}

// What a call is given, with the positions as numbers.
struct ScoreCase {
  TestPlaces queries{0}, keys{0};
  int64_t first_head = 0;
  bool causal = false;
  double scale = 1;
  ScaleOn scale_on = ScaleOn::scores;

  ScoreOptions options() const {
    return {queries.at(), keys.at(), first_head, causal, scale, scale_on};
  }
};

// Scores of a call, [batch..., heads, queries, keys], and how they lie.
struct ScoreShape {
  std::vector<int64_t> batch{2};
  int64_t heads = case_heads, queries = 5, keys = 9;
  Placement in = Placement::dense, out = Placement::dense;

  std::vector<int64_t> sizes() const {
    auto s = batch;
    s.insert(s.end(), {heads, queries, keys});
    return s;
  }
};

// Element by element: out = scale * x + bias, as the plan's own bias() has it.
inline void expect_scores(const PreparedBias& p, const ScoreCase& c, const std::vector<double>& x,
                          const Tensor& out) {
  const int64_t heads = out.size(-3), queries = out.size(-2), keys = out.size(-1);
  const DType compute = compute_type(out.dtype);
  for (int64_t n = 0; n < out.elements(); ++n) {
    const int64_t k = n % keys, q = n / keys % queries, h = n / keys / queries % heads;
    const int64_t row = n / keys / queries / heads;
    const double query = c.queries.place(1, row, q)[0], key = c.keys.place(1, row, k)[0];
    const double factor = c.scale_on == ScaleOn::sum ? c.scale : 1;
    const double b = factor * bias(p.plan, c.first_head + h, query, key);
    const double scaled = c.scale * x[static_cast<size_t>(n)], truth = scaled + b;
    if (c.causal && key > query) {
      ASSERT_EQ(get(out, n), -std::numeric_limits<double>::infinity()) << n;
      continue;
    }
    // The bias, the scale, the product and the sum are each rounded to the compute type (in f64 the
    // truth is as well), then to the type.
    double off = half_ulp(compute, b) + 2 * half_ulp(compute, 2 * scaled);
    off += half_ulp(compute, std::abs(truth) + off);
    if (compute == DType::f64) off *= 2;
    if (out.dtype != compute) off += half_ulp(out.dtype, std::abs(truth) + off);
    ASSERT_NEAR(get(out, n), truth, off)
        << p.text() << "; " << describe(out) << " head " << h << " query " << query << " key "
        << key << "; queries " << c.queries.name() << ", keys " << c.keys.name();
  }
}

}  // namespace posenc
