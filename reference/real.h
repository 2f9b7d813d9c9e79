// real.h: numbers of 100 decimal digits, and how far a float or a double is from one.
#pragma once

#include <boost/multiprecision/mpfr.hpp>

namespace posenc::reference {

namespace mp = boost::multiprecision;
using Real = mp::number<mp::mpfr_float_backend<100, mp::allocate_stack>, mp::et_off>;

Real pi();

// The nearest number of that type, ties to even.
float nearest_f32(const Real& x);
double nearest_f64(const Real& x);

// |value - truth|; the largest double where value is not finite.
double error(double value, const Real& truth);

}  // namespace posenc::reference
