// toy_rule.cc: options and checks of a length rule.
#include "rotary/scaling.h"

namespace posenc {

Fields ToyRule::fields() { return {{"factor", &ToyRule::factor, "of which it takes the square"}}; }

void ToyRule::check() const { check_positive(name, "scaling.factor", factor); }

}  // namespace posenc
