// limits.h: how much kernels are made for, which schemes refuse to exceed.
#pragma once

#include <cstdint>

namespace posenc {

inline constexpr int64_t max_pairs = 256;  // that a head may turn

}  // namespace posenc
