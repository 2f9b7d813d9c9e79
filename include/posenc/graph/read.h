// read.h: graphs from files.
//
// text       a line for each edge, "from to" or "from to weight", with blanks, tabs, commas or
//            semicolons between; '#' and '%' begin comments; a first line of names is skipped
// .npy       i32 or i64 [edges, 2] or [2, edges]
// .mtx       Matrix Market, coordinates of a square matrix; ids begin with 1. Undirected unless
//            options say otherwise, also where the matrix is general
//
// The content tells which, not the name. "-" is the standard input.
#pragma once

#include "posenc/graph/graph.h"

namespace posenc {
namespace POSENC_PUBLIC graph {

// weights: a .npy file of floats [edges], where edges come as .npy.
Graph read(const std::string& path, const EdgeOptions& options = {},
           const std::string& weights = {});
// The same of text or a file in memory.
Graph parse(std::string_view file, const EdgeOptions& options = {});

}  // namespace graph
}  // namespace posenc
