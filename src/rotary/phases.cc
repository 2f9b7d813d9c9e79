// phases.cc: options of the phases of keys.
#include "posenc/rotary/phases.h"

namespace posenc {

Fields LearnedPhases::fields() {
  return {{"heads", &LearnedPhases::heads, "key heads with their own phases, or 1"}};
}

void LearnedPhases::check() const { check_size("rope", "phases.heads", heads); }

}  // namespace posenc
