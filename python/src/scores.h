// scores.h: what verbs on scores take, whatever they do with it.
#pragma once

#include "plan.h"

namespace posenc::python {

using nb::handle;
using nb::none;

inline const Tensor& or_else(const Given& out, const Given& in) {
  return out.tensor.rank ? out.tensor : in.tensor;
}

// owner.def(name, f, first..., and the keywords of ScoreArguments, and stream).
template <class Owner, class F, class... Arguments>
void def_scores(Owner& owner, const char* name, F f, const Arguments&... first) {
  owner.def(name, f, first..., arg("queries") = none(), arg("keys") = none(),
            arg("first_head") = none(), arg("causal") = false, arg("scale") = 1.0,
            arg("scale_on") = "scores", arg("stream") = none());
}

}  // namespace posenc::python
