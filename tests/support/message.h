// message.h: what an Error says.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "posenc/tensor.h"

namespace posenc {

// What the Error says that f throws.
template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <class F>
void expect_message(F&& f, std::string_view part) {
  const std::string text = message(f);
  EXPECT_NE(text.find(part), text.npos) << "said:   " << text << "\nwanted: " << part;
}

}  // namespace posenc
