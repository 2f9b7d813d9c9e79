// backward.cc: the gradient of learned frequencies, phases and coefficients.
#include "base/check.h"
#include "base/memory.h"
#include "base/sums.h"
#include "rotary/call.h"

namespace posenc {

namespace {

constexpr const char* backward_verb = "backward";

// Through the gradient of the rows.
void add_coefficients(const RotaryPlan& plan, const RotateOrder& rotation, const Tensor& dweight,
                      Stream stream) {
  if (rotation.device() != Device::cpu)
    fail(ErrorKind::tensor, backward_verb,
         "expected tensors on the CPU for the gradient of coefficients, got cuda");
  const RowSource& rows = plan.table().parts();
  auto drows = zeros<double>(backward_verb, "the gradient of rows", std::ssize(rows.own_table));
  run(RotateGradientOrder{rotation, tensor(drows.data(), {rows.table->rows.size(0), rows.dim}),
                          stream});
  add_coefficient_gradient(plan.scheme(), plan.frequencies(), drows, dweight);
}

}  // namespace

void backward(const RotaryPlan& plan, const QueriesKeys& given, const QueriesKeys& dy,
              const Tensor& dweight, const Positions& at, Stream stream) {
  const auto wanted = plan.scheme().weights();
  if (wanted.empty())
    fail(backward_verb,
         "expected a plan with learned frequencies, phases or coefficients, got none");
  const bool phases = plan.parts().queries.has_value();  // which queries do not have
  const bool without = phases && given.q.rank > 0 && given.k.rank == 0;
  const QueriesKeys x = phases && !without ? QueriesKeys{.k = given.k} : given;
  RotarySettings settings = plan.parts().settings;
  if (without) settings.row_heads = 1;
  RotateOrder rotation = check_rotate(backward_verb, settings, plan.table().parts(), x, {}, at,
                                      {.q = false, .k = false});
  if (x.q.rank > 0) check_same(backward_verb, "dy", dy.q, x.q), rotation.q.out = dy.q;
  if (x.k.rank > 0) check_same(backward_verb, "dy", dy.k, x.k), rotation.k.out = dy.k;
  const Tensor dweights[] = {dweight};
  check_gradients(backward_verb, {wanted[0].shape}, dweights, rotation.any().dtype);
  check_gradients_apart(backward_verb, dweights, {x.q, x.k, dy.q, dy.k, at.ids});
  if (without) return;
  if (std::holds_alternative<Fourier>(plan.scheme().frequencies))
    return add_coefficients(plan, rotation, dweight, stream);
  run(RotateGradientOrder{rotation, dweight, stream});
}

}  // namespace posenc
