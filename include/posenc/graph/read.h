// read.h: graphs from files.
//
// text       a line for each edge, "from to" or "from to weight", separated by blanks, tabs, commas
//            or semicolons; '#' and '%' start comments; a header line is skipped
// .npy       i32 or i64 [edges, 2] or [2, edges]
// .mtx       Matrix Market, coordinates of a square matrix; ids start at 1. Undirected by default,
//            even if the matrix is general
//
// The format is detected from the content, not the name. "-" is the standard input.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

// weights: a .npy file of floats [edges], if the edges are a .npy file.
Graph read(const std::string& path, const EdgeOptions& options = {},
           const std::string& weights = {});
// The same for a file in memory.
Graph parse(std::string_view file, const EdgeOptions& options = {});

}  // namespace graph
}  // namespace posenc
