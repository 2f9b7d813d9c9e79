// choices.h: enums that hold one of their values.
#pragma once

#include "posenc/field.h"

namespace posenc {

// Of an option, or of all options below a scheme; what comes from text always is one.
template <class T>
void check_choices(std::string_view where, const T& value, std::string_view option = {}) {
  if constexpr (Aggregate<T>) {
    for_each_field<T>(
        [&](const auto& field) { check_choices(where, value.*field.member, field.name); });
  } else if constexpr (Variant<T>) {
    std::visit([&](const auto& inner) { check_choices(where, inner, option); }, value);
  } else if constexpr (is_optional<T>::value) {
    if (value) check_choices(where, *value, option);
  } else if constexpr (Enum<T>) {
    if (static_cast<size_t>(value) >= enum_names(value).size())
      fail(where, "expected ", option, " to be ", join(enum_choices<T>(), ", "), ", got number ",
           static_cast<size_t>(value));
  }
}

}  // namespace posenc
