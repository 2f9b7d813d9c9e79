// plan.h: what all plans have in common.
#pragma once

#include <memory>

#include "posenc/tensor.h"

namespace posenc {

// What a plan holds; an Error where that is nothing: no prepare() made it, or it was moved from.
template <class Parts>
const Parts& plan_parts(const std::shared_ptr<const Parts>& parts) {
  if (!parts) fail("plan", "expected a plan that prepare() made, got an empty or moved one");
  return *parts;
}

}  // namespace posenc
