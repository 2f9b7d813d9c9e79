// real.h: numbers of 100 decimal digits, by MPFR, and how far a float or a double is from one.
#pragma once

#include <mpfr.h>

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

namespace posenc::reference {

class Real {
 public:
  static constexpr mpfr_prec_t bits = 336;

  Real() { mpfr_init2(value_, bits), mpfr_set_zero(value_, 1); }
  Real(double x) { mpfr_init2(value_, bits), mpfr_set_d(value_, x, MPFR_RNDN); }  // NOLINT: 1 / x
  template <std::signed_integral T>
  Real(T x) {  // NOLINT
    mpfr_init2(value_, bits), mpfr_set_si(value_, x, MPFR_RNDN);
  }
  template <std::unsigned_integral T>
  Real(T x) {  // NOLINT
    mpfr_init2(value_, bits), mpfr_set_ui(value_, x, MPFR_RNDN);
  }
  Real(const Real& x) { mpfr_init2(value_, bits), mpfr_set(value_, x.value_, MPFR_RNDN); }
  Real(Real&& x) noexcept : Real() { mpfr_swap(value_, x.value_); }
  Real& operator=(Real x) noexcept { return mpfr_swap(value_, x.value_), *this; }
  ~Real() { mpfr_clear(value_); }

  mpfr_srcptr get() const { return value_; }
  mpfr_ptr get() { return value_; }
  int64_t to_int64() const { return mpfr_get_si(value_, MPFR_RNDZ); }
  std::string str(int digits) const;

  friend Real operator-(Real x) { return mpfr_neg(x.value_, x.value_, MPFR_RNDN), x; }
  friend Real operator+(const Real& x, const Real& y) { return of(mpfr_add, x, y); }
  friend Real operator-(const Real& x, const Real& y) { return of(mpfr_sub, x, y); }
  friend Real operator*(const Real& x, const Real& y) { return of(mpfr_mul, x, y); }
  friend Real operator/(const Real& x, const Real& y) { return of(mpfr_div, x, y); }
  Real& operator+=(const Real& y) { return *this = *this + y; }
  Real& operator-=(const Real& y) { return *this = *this - y; }
  Real& operator*=(const Real& y) { return *this = *this * y; }
  Real& operator/=(const Real& y) { return *this = *this / y; }
  friend bool operator==(const Real& x, const Real& y) { return mpfr_equal_p(x.get(), y.get()); }
  friend bool operator<(const Real& x, const Real& y) { return mpfr_less_p(x.get(), y.get()); }
  friend bool operator>(const Real& x, const Real& y) { return y < x; }
  friend bool operator<=(const Real& x, const Real& y) {
    return mpfr_lessequal_p(x.get(), y.get());
  }
  friend bool operator>=(const Real& x, const Real& y) { return y <= x; }
  friend std::ostream& operator<<(std::ostream& out, const Real& x) { return out << x.str(30); }

  friend Real abs(const Real& x) { return of(mpfr_abs, x); }
  friend Real sqrt(const Real& x) { return of(mpfr_sqrt, x); }
  friend Real log(const Real& x) { return of(mpfr_log, x); }
  friend Real log2(const Real& x) { return of(mpfr_log2, x); }
  friend Real exp(const Real& x) { return of(mpfr_exp, x); }
  friend Real sin(const Real& x) { return of(mpfr_sin, x); }
  friend Real cos(const Real& x) { return of(mpfr_cos, x); }
  friend Real floor(const Real& x) { return of(mpfr_rint_floor, x); }
  friend Real ceil(const Real& x) { return of(mpfr_rint_ceil, x); }
  friend Real round(const Real& x) { return of(mpfr_rint_round, x); }
  friend Real pow(const Real& x, const Real& y) { return of(mpfr_pow, x, y); }
  friend Real atan2(const Real& y, const Real& x) { return of(mpfr_atan2, y, x); }
  friend Real ldexp(Real x, long n) { return mpfr_mul_2si(x.value_, x.value_, n, MPFR_RNDN), x; }

 private:
  template <class... Numbers>
  static Real of(auto function, const Numbers&... numbers) {
    Real out;
    function(out.value_, numbers.value_..., MPFR_RNDN);
    return out;
  }
  mpfr_t value_;
};

Real pi();

// The nearest number of that type, ties to even.
float nearest_f32(const Real& x);
double nearest_f64(const Real& x);

// |value - truth|; the largest double where value is not finite.
double error(double value, const Real& truth);

}  // namespace posenc::reference
