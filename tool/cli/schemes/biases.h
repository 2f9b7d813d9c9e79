// biases.h: from a bias of scores and what was typed beside it to numbers.
#pragma once

#include "cli/schemes/rows.h"

namespace posenc::cli {

// To be moved, not copied.
struct ReadyBias {
  Scheme scheme;
  std::vector<Array> weights;
  BiasPlan plan;
};

// Throws a usage error for a scheme that reads queries or keys too.
ReadyBias make_ready_bias(const Scheme& scheme, const RowsOptions& options);

// What a line of biases runs along, "distance" or "key"; nothing where they lie on no line.
std::string line_of(const ReadyBias& ready);

// Tokens of a window; 0 for a scheme of the line.
int64_t tokens_of(const Scheme& scheme);

// [distances, heads]; distances, or keys, are whole where the scheme asks for that.
Array fill_line(const ReadyBias& ready, const PositionList& distances, DType dtype);

// [heads, queries, keys]
Array fill_square(const ReadyBias& ready, const PositionList& queries, const PositionList& keys,
                  DType dtype);

}  // namespace posenc::cli
