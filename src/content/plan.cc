// plan.cc: plans of content terms.
#include "content/plan.h"

#include "base/check.h"
#include "base/memory.h"
#include "orders/orders.h"
#include "posenc/absolute/resize.h"
#include "posenc/content.h"

namespace posenc {
namespace {

// Tables get as many rows as are read.
void resize_tables(std::string_view name, const TermForm& form, WeightLists& weights) {
  const auto* lookups = std::get_if<RowLookups>(&form);
  for (int p = 0; lookups && p < lookups->count; ++p) {
    const LookupPart& part = lookups->parts[p];
    if (part.trained == 0) continue;
    auto& table = weights[static_cast<size_t>(part.weight)];
    auto resized = zeros<double>(name, "table", part.rows * part.dim);
    resize(tensor(table.data(), {part.trained, part.dim}),
           tensor(resized.data(), {part.rows, part.dim}), Resize::linear);
    table = std::move(resized);
  }
}

template <class C>
void fill_weights(const ContentPlan::Parts& parts, const WeightLists& weights,
                  ContentPlan::Parts::Typed<C>& out) {
  WeightLists rounded = weights;
  for (auto& list : rounded)
    for (double& x : list) x = static_cast<double>(static_cast<C>(x));
  resize_tables(parts.name, parts.formula.form, rounded);
  for (const auto& list : rounded) out.weights.emplace_back(list.begin(), list.end());
}

}  // namespace

ContentPlan prepare(const Content& scheme, const PlanOptions& options) {
  return std::visit(
      [&]<ContentScheme S>(const S& s) {
        check_choices(s.name, s);
        s.check();
        const auto wanted = s.weights();
        check_weights(s.name, wanted, options.weights);
        WeightLists weights;
        for (const Tensor& t : options.weights) weights.push_back(values(t));
        const auto shared = detail::Shared<ContentPlan::Parts>::make(S::name, s.heads, s.reads(),
                                                                     s.formula(weights));
        ContentPlan::Parts* parts = shared.get();
        for (const Weight& w : wanted) parts->shapes.push_back(w.shape);
        fill_weights(*parts, weights, parts->f32);
        fill_weights(*parts, weights, parts->f64);
        ContentPlan plan(shared);
        if (options.cuda_device >= 0) cuda::keep(plan, options.cuda_device);
        return plan;
      },
      scheme);
}

int64_t ContentPlan::heads() const { return parts().heads; }
ContentReads ContentPlan::reads() const { return parts().reads; }

}  // namespace posenc
