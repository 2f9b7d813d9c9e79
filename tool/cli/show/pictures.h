// pictures.h: what there is to see of an encoding, as plots.
#pragma once

#include "cli/schemes/rows.h"
#include "draw/plot.h"

namespace posenc::cli {

enum class Kind : uint8_t {
  heatmap,
  waves,
  similarity,
  wavelengths,
  decay,
  rules,
  curves,
  buckets,
  patches
};
constexpr auto enum_names(Kind) {
  return std::to_array<std::string_view>({"heatmap", "waves", "similarity", "wavelengths", "decay",
                                          "rules", "curves", "buckets", "patches"});
}

// The scheme and every option that is not as it is by default: "sinusoidal, dim 64". A pair layout
// changes no picture.
std::string title_of(const Scheme& scheme);

// Kinds of one scheme's rows. columns: which to draw as waves; some that differ when empty.
draw::Plot make_picture(const Ready& ready, const PositionList& positions, Kind kind,
                        const std::vector<double>& columns = {});

}  // namespace posenc::cli
