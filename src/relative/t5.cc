// t5.cc: bounds of the buckets in whole numbers.
#include "posenc/relative/t5.h"

#include "base/natural.h"
#include "relative/buckets.h"
#include "relative/formula.h"

namespace posenc {
namespace {

// Buckets of one side, and those of them that hold one distance.
struct BucketSide {
  int64_t buckets, exact;
};
BucketSide side_of(const T5Bias& s) {
  const int64_t n = s.bidirectional ? s.buckets / 2 : s.buckets;
  return {n, n / 2};
}

}  // namespace

Fields T5Bias::fields() {
  using S = T5Bias;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"buckets", &S::buckets, "rows of the table"},
          {"max_distance", &S::max_distance, "distances from here on share the last bucket"},
          {"bidirectional", &S::bidirectional, "tell keys before the query from keys after it"},
          {"scale", &S::scale, "on the table (x-transformers: sqrt of the head size)"}};
}

std::vector<Preset<T5Bias>> T5Bias::presets() {
  return {{"t5-encoder", "T5, mT5, UMT5: encoder", {}},
          {"t5-decoder", "T5, mT5, UMT5: decoder", {.bidirectional = false}},
          {"wavlm",
           "WavLM: 320 buckets up to 800 frames",
           {.heads = 12, .buckets = 320, .max_distance = 800}},
          {"mpnet", "MPNet", {.heads = 12}}};
}

void check_buckets(std::string_view scheme, std::string_view prefix, const T5Bias& s) {
  const int64_t least = s.bidirectional ? 4 : 2, exact = side_of(s).exact;
  if (s.buckets < least || s.buckets > 1024 || (s.bidirectional && s.buckets % 2 != 0))
    fail(scheme, "expected ", prefix, "buckets from ", least, " to 1024",
         s.bidirectional ? ", even" : "", ", got ", s.buckets);
  if (s.max_distance <= exact || s.max_distance > int64_t{1} << 31)
    fail(scheme, "expected ", prefix, "max_distance above ", exact, " and up to 2^31, got ",
         s.max_distance);
}

void T5Bias::check() const {
  check_size(name, "heads", heads);
  check_buckets(name, "", *this);
  check_finite(name, "scale", scale);
}

// Bucket e + t begins at the first r with (r / e)^(n - e) >= (M / e)^t, that is
// r^(n - e) e^t >= M^t e^(n - e).
std::vector<int64_t> T5Bias::bounds() const {
  const auto [n, e] = side_of(*this);
  std::vector<int64_t> out;
  for (int64_t r = 0; r < e; ++r) out.push_back(r);
  int64_t low = e;
  for (int64_t t = 0; t < n - e; ++t) {
    const Natural wanted{{max_distance, t}, {e, n - e - t}};
    int64_t high = max_distance;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      wanted <= Natural{{middle, n - e}} ? high = middle : low = middle + 1;
    }
    out.push_back(low);
  }
  return out;
}

int64_t T5Bias::bucket(int64_t r) const {
  WeightValues block;
  const forms::Buckets found = append_buckets(*this, block);
  return found.row(block.data(), r);
}

BiasFormula T5Bias::formula(const WeightValues& weights) const {
  WeightValues block = weights;
  const forms::BiasTable<forms::Buckets> table{append_buckets(*this, block), 1, heads, scale};
  return {Reads::distance, true, table, std::move(block)};
}

}  // namespace posenc
