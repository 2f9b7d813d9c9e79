// threads.h: the number of threads that the library may use.
#pragma once

#include "posenc/export.h"

namespace POSENC_PUBLIC posenc {

// The maximum number of threads of a call; initially that of the machine, or OMP_NUM_THREADS.
int threads();
void set_threads(int count);  // throws Error if less than 1

}  // namespace posenc
