// told.h: what the library says of a scheme, as Python values.
#pragma once

#include "plan.h"

namespace posenc::python {

nb::dict dict_of(const Weight& weight);
nb::dict dict_of(const Option& option);
nb::dict dict_of(const PresetInfo& preset);
nb::dict dict_of(const SchemeInfo& about);

template <class List>
nb::list list_of(const List& all) {
  nb::list out;
  for (const auto& one : all) out.append(dict_of(one));
  return out;
}

}  // namespace posenc::python
