// patch_picture.h: how like one patch of an image the others are.
#pragma once

#include "cli/schemes/rows.h"
#include "draw/plot.h"

namespace posenc::cli {

// grid: HEIGHTxWIDTH of the image in patches. patch: row and column of the one that others are
// compared with; the middle where it is empty.
draw::Plot draw_patches(const Ready& ready, const RowsOptions& options, const std::string& grid,
                        const std::vector<double>& patch);

}  // namespace posenc::cli
