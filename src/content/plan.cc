// plan.cc: plans of content terms.
#include "content/plan.h"

#include "base/check.h"
#include "orders/orders.h"
#include "posenc/content.h"

namespace posenc {

ContentPlan prepare(const Content& scheme, const PlanOptions& options) {
  return std::visit(
      [&]<ContentScheme S>(const S& s) {
        check_choices(s.name, s);
        s.check();
        const auto wanted = s.weights();
        check_weights(s.name, wanted, options.weights);
        const auto shared = detail::Shared<ContentPlan::Parts>::make(
            S::name, std::make_shared<const S>(s), s.heads, s.reads());
        ContentPlan::Parts* parts = shared.get();
        for (size_t i = 0; i < wanted.size(); ++i) {
          parts->shapes.push_back(wanted[i].shape);
          const auto& numbers = parts->f64.weights.emplace_back(values(options.weights[i]));
          parts->f32.weights.emplace_back(numbers.begin(), numbers.end());
        }
        parts->f32.term = cpu::make_term(s, parts->f32.weights);
        parts->f64.term = cpu::make_term(s, parts->f64.weights);
        ContentPlan plan(shared);
        if (options.cuda_device >= 0) cuda::keep(plan, options.cuda_device);
        return plan;
      },
      scheme);
}

int64_t ContentPlan::heads() const { return parts().heads; }
ContentReads ContentPlan::reads() const { return parts().reads; }

}  // namespace posenc
