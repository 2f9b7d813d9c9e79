// ready.h: putting a scheme into a component.
#pragma once

#include "posenc/model.h"

namespace posenc::model {

// The scheme, whose options come from the file: one out of range is the file's fault.
template <class S>
const S& checked(const S& scheme) {
  try {
    scheme.check();
  } catch (const Error& error) {
    fail(ErrorKind::data, "read",
         "expected keys that make an encoding, got others: ", error.what());
  }
  return scheme;
}

inline void set_ready(Component& component, Scheme scheme) {
  std::visit([](const auto& s) { checked(s); }, scheme);
  component.ready = std::move(scheme);
}

}  // namespace posenc::model
