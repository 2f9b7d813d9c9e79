// segment_buckets.cc: rows for distances inside a segment and for pairs of segments.
#include "posenc/relative/segment_buckets.h"

#include "relative/buckets.h"
#include "relative/formula.h"

namespace posenc {
namespace {

T5Bias inside(const SegmentBuckets& s) { return {s.heads, s.buckets, s.max_distance}; }

}  // namespace

Fields SegmentBuckets::fields() {
  using S = SegmentBuckets;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"buckets", &S::buckets, "rows of the table for distances inside a segment"},
          {"max_distance", &S::max_distance, "distances from here on share the last bucket"},
          {"segments", &S::segments, "kinds of segments; each pair of them has a row"}};
}

std::vector<Preset<SegmentBuckets>> SegmentBuckets::presets() {
  return {{"cpm-ant", "CPM-Ant", {}}};
}

void SegmentBuckets::check() const {
  check_size(name, "heads", heads);
  check_buckets(name, "", inside(*this));
  if (segments < 1 || segments > 1024)
    fail(name, "expected segments from 1 to 1024, got ", segments);
}

BiasFormula SegmentBuckets::formula(const WeightValues& weights) const {
  WeightValues block = weights;
  forms::SegmentTable form{};
  form.buckets = append_buckets(inside(*this), block);
  form.heads = heads, form.first = buckets, form.segments = segments;
  BiasFormula out{Reads::both, true, form, std::move(block)};
  out.last_axis_end = segments;
  return out;
}

}  // namespace posenc
