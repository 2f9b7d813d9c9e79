// weights.h: random values for what a scheme learns.
#pragma once

#include <vector>

#include "absolute/plan.h"
#include "model/array.h"
#include "posenc/absolute.h"
#include "tests/support/elements.h"

namespace posenc {

struct Weights {
  std::vector<Array> arrays;
  std::vector<Tensor> views() const {
    std::vector<Tensor> out;
    for (const Array& a : arrays) out.push_back(a.view());
    return out;
  }
};

inline Weights zero_weights(const std::vector<Weight>& wanted, DType dtype) {
  Weights out;
  for (const Weight& w : wanted) out.arrays.push_back(make_array(dtype, w.shape));
  return out;
}
// Those of any scheme of a family.
template <class... S>
std::vector<Weight> weights(const std::variant<S...>& scheme) {
  return std::visit([](const auto& s) { return s.weights(); }, scheme);
}

inline Weights zero_weights(const Absolute& scheme, DType dtype) {
  return zero_weights(weights(scheme), dtype);
}

// Around the mean, also where the weight starts with the mean itself.
inline Weights random_weights(const std::vector<Weight>& wanted, Random& random,
                              DType dtype = DType::f64) {
  Weights out;
  for (const Weight& w : wanted) {
    const double spread = w.deviation > 0 ? w.deviation : 0.5;
    out.arrays.push_back(make_array(dtype, w.shape));
    randomize(out.arrays.back().view(), random, w.mean - spread, w.mean + spread);
  }
  return out;
}
inline Weights random_weights(const Absolute& scheme, Random& random, DType dtype = DType::f64) {
  return random_weights(weights(scheme), random, dtype);
}

// A plan and the weights it was made from (a learned table must outlive its plan).
struct Prepared {
  Weights weights;
  AbsolutePlan plan;
};
inline Prepared prepare_random(const Absolute& scheme, Random& random, DType dtype = DType::f64) {
  Weights w = random_weights(scheme, random, dtype);
  AbsolutePlan plan = prepare(scheme, {.weights = w.views()});
  return {std::move(w), plan};
}

// The row at one place, evaluated directly in f64.
inline std::vector<double> row_at(const AbsolutePlan& plan, const std::vector<double>& place) {
  std::vector<double> out(static_cast<size_t>(plan.dim()));
  const std::vector<int64_t> whole(place.begin(), place.end());
  const bool is_table = !plan.parts().has_waves() && !plan.parts().lookups.on_grid();
  const Tensor ids = is_table ? tensor(whole.data(), {plan.axes(), 1, 1})
                              : tensor(place.data(), {plan.axes(), 1, 1});
  fill(plan, tensor(out.data(), {1, plan.dim()}), positions(ids));
  return out;
}

}  // namespace posenc
