// convert_rows.h: a learned table of one length made into one of another.
#pragma once

#include "cli/command.h"

namespace posenc::cli {

std::vector<Option> convert_rows_options();
void convert_rows(const Call& call);

}  // namespace posenc::cli
