// music_transformer.cc: checks of a table of distances back.
#include "posenc/content/music_transformer.h"

namespace posenc {

void MusicTransformer::check() const {
  check_size(name, "dim", dim);
  if (heads != 0) check_size(name, "heads", heads);
  check_size(name, "length", length);
}

}  // namespace posenc
