// phases.cc: options of the phases of keys.
#include "posenc/rotary/phases.h"

namespace posenc {

Fields LearnedPhases::fields() {
  return {{"heads", &LearnedPhases::heads, "heads of keys with phases of their own, or 1"}};
}

void LearnedPhases::check() const { check_size("rope", "phases.heads", heads); }

}  // namespace posenc
