// plan.cc: plans of biases, and one bias.
#include <cmath>

#include "base/bits.h"
#include "base/device_weights.h"
#include "orders/orders.h"
#include "posenc/device_weights.h"
#include "posenc/relative.h"
#include "relative/plan.h"

namespace posenc {

namespace {

BiasPlan bias_plan(const Bias& scheme, const PlanOptions& options, bool blank) {
  return std::visit(
      [&]<BiasScheme S>(const S& s) {
        check_choices(s.name, s);
        s.check();
        const auto wanted = s.weights();
        check_weights(s.name, wanted, options.weights);
        WeightValues given;
        for (const Tensor& w : options.weights) {
          const auto numbers = values(w);
          given.insert(given.end(), numbers.begin(), numbers.end());
        }
        const auto shared =
            detail::Shared<BiasPlan::Parts>::make(S::name, s.heads, s.formula(given));
        BiasPlan::Parts* parts = shared.get();
        for (const Weight& w : wanted) parts->shapes.push_back(w.shape);
        parts->weights = wanted;
        parts->formula.copies = std::make_shared<OnDevices>(), parts->formula.blank = blank;
        const Range kept = parts->profiles.keep(parts->formula, s.heads, options.keep);
        if (options.cuda_device >= 0)
          cuda::keep(parts->formula, s.heads, kept, options.cuda_device);
        return BiasPlan(shared);
      },
      scheme);
}

}  // namespace

BiasPlan prepare(const Bias& scheme, const PlanOptions& options) {
  return bias_plan(scheme, options, false);
}

bool can_follow_weights(const Bias& scheme) {
  return std::visit([](const auto& s) { return !s.weights().empty(); }, scheme);
}

BiasPlan prepare_for_weights(const Bias& scheme, int cuda_device) {
  const ZeroWeights zeros(std::visit([](const auto& s) { return s.weights(); }, scheme));
  return bias_plan(scheme, {.weights = zeros.views(), .cuda_device = cuda_device}, true);
}

BiasPlan with_weights(const BiasPlan& plan, std::span<const Tensor> weights) {
  const BiasPlan::Parts& from = plan.parts();
  expect_blank(from.formula.blank);
  check_device_weights(from.name, from.weights, weights);
  const auto shared = detail::Shared<BiasPlan::Parts>::make(from.name, from.heads, from.formula,
                                                            from.shapes, from.weights);
  shared.get()->formula.device_weights.assign(weights.begin(), weights.end());
  return BiasPlan(shared);
}

int64_t BiasPlan::heads() const { return parts().heads; }
Reads BiasPlan::reads() const { return parts().formula.reads; }
int64_t BiasPlan::axes() const { return parts().formula.axes(); }

double bias(const BiasPlan& plan, int64_t head, double query, double key) {
  const BiasFormula& formula = plan.parts().formula;
  if (!formula.device_weights.empty())
    fail("bias", "expected a plan of weights that the host reads, got one of weights on a device");
  if (head < 0 || head >= plan.heads())
    fail("bias", "expected a head from 0 to ", plan.heads() - 1, ", got ", head);
  const bool in_window = formula.reads == Reads::entry;
  const int64_t end = in_window ? formula.window.tokens() : formula.last_axis_end;
  const double limit = end > 0 ? static_cast<double>(end - 1) : 0x1p52;
  const double least = end > 0 ? 0 : -limit;
  const auto outside = [&](double p) { return !is_finite(p) || p < least || p > limit; };
  if (outside(query) || outside(key))
    fail("bias", "expected positions from ", least, " to ", limit, ", got ", query, " and ", key);
  if (formula.whole && (std::floor(query) != query || std::floor(key) != key))
    fail("bias", "expected whole positions for this scheme, got ", query, " and ", key);
  if (in_window) {
    const auto q = static_cast<int64_t>(query), k = static_cast<int64_t>(key);
    query = 0, key = static_cast<double>(formula.window.entry(q, k));
  }
  double out;
  const std::vector<double> from(static_cast<size_t>(formula.axes()), query), to(from.size(), key);
  formula.biases({head, 1}, from.data(), to, &out);
  return out;
}

}  // namespace posenc
