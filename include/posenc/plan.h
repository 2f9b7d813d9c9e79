// plan.h: what all plans have in common.
#pragma once

#include <memory>
#include <span>

#include "posenc/tensor.h"

namespace POSENC_PUBLIC posenc {

// What prepare() may be told about any scheme; each reads what concerns it.
struct PlanOptions {
  // One tensor for each entry of the scheme's weights(), in that order. They are read now, except
  // the table of `learned`, which must outlive the plan.
  std::span<const Tensor> weights{};
  // Tokens of the text: length rules such as dynamic and longrope ask for it.
  int64_t length = 0;
  // What positions 0 .. keep - 1 need is made now and kept.
  int64_t keep = 0;
};

// What a plan holds; an Error where that is nothing: no prepare() made it, or it was moved from.
template <class Parts>
const Parts& plan_parts(const std::shared_ptr<const Parts>& parts) {
  if (!parts) fail("plan", "expected a plan that prepare() made, got an empty or moved one");
  return *parts;
}

}  // namespace posenc
