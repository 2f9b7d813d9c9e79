// sines.h: sines of phases, by a kernel of src/cpu.
#pragma once

#include "frequencies/phase.h"

namespace posenc::cpu {

// out = sin(2 pi phase) for n phases, within 2.5e-16.
void sines(const Turn* phase, double* out, size_t n);

}  // namespace posenc::cpu
