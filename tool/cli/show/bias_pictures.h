// bias_pictures.h: what there is to see of biases of scores.
#pragma once

#include "cli/schemes/biases.h"
#include "cli/show/pictures.h"

namespace posenc::cli {

// The kind that shows most of the scheme.
Kind usual_kind(const ReadyBias& ready);

// curves: some heads along the distance; heatmap: all queries and keys of one head; buckets: which
// row of the learned table a distance, or a pair of tokens, reads. typed: positions, or nothing.
draw::Plot draw_bias(const ReadyBias& ready, Kind kind, const std::string& typed, int64_t head);

}  // namespace posenc::cli
