// formats.h: edges as kinds of text list them.
#pragma once

#include "model/graph/lines.h"

namespace posenc::graph {

// "from to" or "from to weight", one edge a line; ids as they stand there.
Graph read_list(Lines lines);

// Matrix Market; `file` begins with "%%MatrixMarket". Ids begin with 1. Sets the number of
// nodes, and `directed` unless the matrix is symmetric.
Graph read_matrix_market(std::string_view file, const std::string& label);

}  // namespace posenc::graph
