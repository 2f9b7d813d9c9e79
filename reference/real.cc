#include "reference/real.h"

#include <boost/math/constants/constants.hpp>
#include <limits>

namespace posenc::reference {

Real pi() { return boost::math::constants::pi<Real>(); }

float nearest_f32(const Real& x) { return mpfr_get_flt(x.backend().data(), MPFR_RNDN); }
double nearest_f64(const Real& x) { return mpfr_get_d(x.backend().data(), MPFR_RNDN); }

double error(double value, const Real& truth) {
  const Real given(value), distance = abs(given - truth);
  if (!mpfr_number_p(given.backend().data())) return std::numeric_limits<double>::max();
  return mpfr_get_d(distance.backend().data(), MPFR_RNDU);
}

}  // namespace posenc::reference
