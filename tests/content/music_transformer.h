// music_transformer.h: Music Transformer's rows of distances, score by score as the paper writes
// it, and small ones for 3 heads.
#pragma once

#include "tests/content/formulas.h"

namespace posenc {

inline std::vector<Content> small(const MusicTransformer&) {
  return {MusicTransformer{.dim = 6, .heads = 3, .length = 12}};
}

inline Sum term(const MusicTransformer& s, const Stand& t, const At& a) {
  const int64_t back = a.query_at - a.key_at;
  if (back < 0 || back >= s.length) return {};
  return query_times_row(t, a, 0,
                         s.length - 1 - back + (s.heads > 0 ? a.model_head * s.length : 0));
}

}  // namespace posenc
