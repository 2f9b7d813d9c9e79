// backward.cc: the gradient of learned frequencies.
#include "base/check.h"
#include "base/sums.h"
#include "rotary/turning.h"

namespace posenc {

void backward(const RotaryPlan& plan, const QueriesKeys& x, const QueriesKeys& dy,
              const Tensor& dfrequency, const Positions& at, Stream stream) {
  const char* verb = "backward";
  const auto wanted = plan.scheme().weights();
  if (wanted.empty()) fail(verb, "expected a plan with learned frequencies, got none");
  TurnOrder turn = check_turn(verb, plan, x, {writable(x.q), writable(x.k)}, at);
  if (x.q.rank > 0) check_same(verb, "dy", dy.q, x.q), turn.q.out = dy.q;
  if (x.k.rank > 0) check_same(verb, "dy", dy.k, x.k), turn.k.out = dy.k;
  const Tensor dweights[] = {dfrequency};
  check_gradients(verb, {wanted[0].shape}, dweights, turn.any().dtype);
  check_gradients_apart(verb, dweights, {x.q, x.k, dy.q, dy.k, at.ids});
  run(TurnGradientOrder{turn, dfrequency, stream});
}

}  // namespace posenc
