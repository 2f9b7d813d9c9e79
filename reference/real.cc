#include "reference/real.h"

#include <limits>

namespace posenc::reference {

std::string Real::str(int digits) const {
  char text[128];
  mpfr_snprintf(text, sizeof text, "%.*Rg", digits, value_);
  return text;
}

Real pi() {
  Real out;
  mpfr_const_pi(out.get(), MPFR_RNDN);
  return out;
}

float nearest_f32(const Real& x) { return mpfr_get_flt(x.get(), MPFR_RNDN); }
double nearest_f64(const Real& x) { return mpfr_get_d(x.get(), MPFR_RNDN); }

double error(double value, const Real& truth) {
  const Real given(value), distance = abs(given - truth);
  if (!mpfr_number_p(given.get())) return std::numeric_limits<double>::max();
  return mpfr_get_d(distance.get(), MPFR_RNDU);
}

}  // namespace posenc::reference
