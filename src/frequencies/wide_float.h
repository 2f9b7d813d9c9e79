// wide.h: wide arithmetic, 192 bits and integer-based, in which frequencies are made.
#pragma once

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "posenc/frequencies.h"

namespace posenc {

namespace mp = boost::multiprecision;
using Wide = mp::number<mp::cpp_bin_float<192, mp::digit_base_2>, mp::et_off>;

const Wide& wide_two_pi();
Frequency from_turns(const Wide& turns);  // throws Error from 2^62 on

}  // namespace posenc
