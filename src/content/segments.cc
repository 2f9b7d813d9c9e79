// segments.cc: options and checks of vectors for segments.
#include "posenc/content/segments.h"

#include "content/formula.h"

namespace posenc {
namespace {

SegmentPairRows rule_of(const Segments& s) {
  return {s.rows == SegmentRows::same_first ? 0 : 1, s.joined};
}

}  // namespace

Fields Segments::fields() {
  using S = Segments;
  return {{"dim", &S::dim, "head size"},
          {"heads", &S::heads, "heads of the whole model"},
          {"rows", &S::rows, "which row of the table is that of the same segment"},
          {"joined", &S::joined, "the segment that is one with all; -1: none"}};
}

std::vector<Preset<Segments>> Segments::presets() {
  return {{"xlnet-segments", "XLNet large", {}},
          {"funnel-segments",
           "Funnel: the class token is of segment 2",
           {.heads = 12, .rows = SegmentRows::other_first, .joined = 2}}};
}

void Segments::check() const {
  check_size(name, "dim", dim);
  check_size(name, "heads", heads);
  if (joined < -1 || joined > max_size)
    fail(name, "expected joined from -1 to ", max_size, ", got ", joined);
}

int64_t Segments::row(int64_t query, int64_t key) const { return rule_of(*this).row(query, key); }

TermFormula Segments::formula(const WeightLists&) const {
  LookupPart part{.dim = dim, .rows = 2, .head_step = dim, .row_step = heads * dim, .weight = 0};
  part.rule.kind = RowKind::segments, part.rule.segments = rule_of(*this);
  RowLookups form;
  form.bias = 1;
  return {form.add(part)};
}

}  // namespace posenc
