// subnormals.h: numbers too small for a full mantissa, which cost x86 a hundred times a usual one.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace posenc {

// While one lives, results of this thread below the smallest normal number are 0 on x86.
class FlushSubnormals {
#if defined(__SSE2__)
 public:
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON); }
  ~FlushSubnormals() { _mm_setcsr(before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;

 private:
  unsigned before_;
#endif
};

}  // namespace posenc
