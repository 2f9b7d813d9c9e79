// verdict.h: what the checks of properties share.
#pragma once

#include <sstream>

#include "properties.h"

namespace posenc {

// All parts, one after the other, numbers with four digits.
template <class... Parts>
std::string said(const Parts&... parts) {
  std::ostringstream out;
  out.precision(4);
  (out << ... << parts);
  return out.str();
}

inline Property judged(Property p, bool ok) {
  p.verdict = ok ? Verdict::holds : Verdict::fails;
  return p;
}

// What differences amount to; digits of rounding noise would be others on every machine.
inline std::string amount(const Property& p) {
  return p.measured <= p.bound ? "no more than rounding" : said(p.measured);
}

inline void check_rows(int64_t rows) {
  if (rows < 2 || rows > 4096) fail("check", "expected 2 to 4096 rows, got ", rows);
}

}  // namespace posenc
