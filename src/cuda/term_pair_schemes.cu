// term_pair_schemes.cu: schemes as parts whose rows grids, segments and buckets name.
#include "cuda/term_lookup.h"

namespace posenc::cuda {

template <class C>
void Lookups<C>::make(const Place&, const TermCopy<C>& copy, const Decomposed& s, const TermSource&,
                      const ScorePlaces&) {
  const auto sides = sides_of(s);
  for (size_t n = 0; n < sides.size(); ++n) {
    Part<C> part;
    part.rule.kind = RowKind::grid, part.rule.side = sides[n].cells;
    part.dim = dim, part.rows = sides[n].rows, part.table = copy.tables[n];
    part.weight = static_cast<int>(n);
    if (sides[n].trained != sides[n].rows) part.trained = sides[n].trained;
    add(part);
  }
}

template <class C>
void Lookups<C>::make(const Place&, const TermCopy<C>& copy, const Segments& s,
                      const TermSource& source, const ScorePlaces&) {
  Part<C> part;
  part.rule.kind = RowKind::segments, part.rule.segments = segment_rows(s);
  part.dim = dim, part.rows = 2, part.head_step = dim, part.row_step = s.heads * dim;
  part.table = copy.weights[0] + source.first_head * dim, part.weight = 0;
  bias = copy.weights[1] + source.first_head * dim, bias_weight = 1;
  add(part);
}

// Gates are queries of one feature.
template <class C>
void Lookups<C>::make(const Place&, const TermCopy<C>& copy, const GatedT5& s,
                      const TermSource& source, const ScorePlaces&) {
  Part<C> part;
  part.rule.rows = copy.rows;
  part.rule.low = -s.max_distance, part.rule.high = s.max_distance;
  part.dim = 1, part.rows = s.buckets, part.head_step = 1, part.row_step = s.heads;
  part.table = copy.weights[0] + source.first_head, part.weight = 0;
  gate.weight = copy.weights[1], gate.bias = copy.weights[2];
  gate.scale = copy.weights[3] + source.first_head, gate.heads = heads, gate.dim = dim;
  add(part);
}

#define POSENC_PAIRS(C, S)                                                                      \
  template void Lookups<C>::make(const Place&, const TermCopy<C>&, const S&, const TermSource&, \
                                 const ScorePlaces&);
POSENC_PAIRS(float, Decomposed)
POSENC_PAIRS(double, Decomposed)
POSENC_PAIRS(float, Segments)
POSENC_PAIRS(double, Segments)
POSENC_PAIRS(float, GatedT5)
POSENC_PAIRS(double, GatedT5)
#undef POSENC_PAIRS

}  // namespace posenc::cuda
