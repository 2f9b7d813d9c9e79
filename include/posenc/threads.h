// threads.h: how many threads the library may use.
#pragma once

#include "posenc/export.h"

namespace POSENC_PUBLIC posenc {

// The most threads any call may use; at the start, what the machine (or OMP_NUM_THREADS) offers.
int threads();
void set_threads(int count);  // throws Error for less than 1

}  // namespace posenc
