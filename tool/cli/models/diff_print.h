// diff_print.h: what differs between two models, as text.
#pragma once

#include "posenc/model/diff.h"

namespace posenc::cli {

std::string comparison_text(const model::Comparison& all, const model::Model& a,
                            const model::Model& b);

}  // namespace posenc::cli
