// refused.h: rotary schemes that make no sense, and the sentence each gets.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "posenc/posenc.h"
#include "tests/support/message.h"

namespace posenc {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr auto half = Layout::half;

struct Refused {
  Rope rope;
  std::string text;
};
inline void expect_sentences(const std::vector<Refused>& cases) {
  for (const Refused& c : cases)
    EXPECT_EQ(message([&] { prepare(c.rope, {.length = 9999}); }), c.text);
}

}  // namespace posenc
