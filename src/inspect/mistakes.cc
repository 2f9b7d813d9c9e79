// mistakes.cc: every mistake that can be named. A clause that follows "Same as preset paper, except
// that "; words in braces are filled in from the explanation.
#include "posenc/model/identify.h"

namespace posenc::model {

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"wrong-base", "the frequency base is {base} instead of 10000"},
      {"doubled-exponent",
       "the exponent grows twice as fast (equivalent to base {base}), as when 2i is computed from "
       "an index that already steps by 2"},
      {"halved-exponent",
       "the exponent grows half as fast (equivalent to base {base}), as when the 2 in 2i/dim is "
       "left out"},
      {"shifted-exponent",
       "the exponent starts one step late, 2(k+1)/dim instead of 2k/dim: count pairs from 0"},
      {"half-shifted-exponent",
       "the exponent starts half a step late, (2k+1)/dim instead of 2k/dim: both sine and cosine "
       "of pair k have exponent 2k/dim"},
      {"exponent-over-dim-minus-1", "the exponent is divided by dim - 1 instead of dim"},
      {"exponent-over-half-minus-1",
       "the exponent is k/(dim/2 - 1), as in tensor2tensor, instead of 2k/dim"},
      {"missing-minus",
       "the exponent lacks its minus sign, so later columns have higher frequencies"},
      {"integer-division", "every frequency is the same, as when 2i/dim is an integer division"},
      {"log10-for-log", "the frequencies use log10 instead of the natural logarithm"},
      {"shifted-cosine-exponent",
       "each cosine has the frequency of the next pair; a sine and its cosine must have the same"},
      {"swapped-sine-cosine", "sine and cosine are swapped"},
      {"halves-for-interleaved",
       "the frequencies are laid out in halves (w0 w1 ... w0 w1 ...) although sines and cosines "
       "alternate; repeat each frequency twice in a row"},
      {"interleaved-for-halves",
       "each frequency is repeated twice in a row (w0 w0 w1 w1 ...) although sines and cosines "
       "are in halves; lay the frequencies out in halves too"},
      {"only-sines", "every column is a sine; every second one should be a cosine"},
      {"only-cosines", "every column is a cosine; every second one should be a sine"},
      {"off-by-one-position", "the first row is position {offset}, off by one"},
      {"position-offset", "the first row is position {offset}"},
      {"reversed-positions", "the rows are in reverse order, the last position first"},
      {"degrees", "positions are treated as degrees: angles are multiplied by pi/180"},
      {"degrees-as-radians",
       "angles were converted to degrees before the sine, which expects radians"},
      {"turns", "angles are multiplied by 2 pi"},
      {"negated-sine", "every sine has the wrong sign"},
      {"scaled-positions", "positions are multiplied by {position_scale}"},
      {"scaled", "every element is multiplied by {scale}"},
      {"bf16-position",
       "positions were rounded to bf16, which holds all integers only up to 256: keep them as "
       "integers or f32"},
      {"bf16-frequency", "frequencies were rounded to bf16: keep them in f32"},
      {"bf16-phase", "position x frequency was rounded to bf16: compute it in f32"},
      {"f16-position",
       "positions were rounded to f16, which holds all integers only up to 2048: keep them as "
       "integers or f32"},
      {"f16-frequency", "frequencies were rounded to f16: keep them in f32"},
      {"f16-phase", "position x frequency was rounded to f16: compute it in f32"},
      {"transposed", "rows and columns are swapped"},
      {"batch-axis",
       "positions run along the batch axis, so every token of a sequence has the same row: swap "
       "the axes"},
      {"padding-row", "{zero_rows} all zero, like a padding row"},
      {"not-finite", "{not_finite} NaN or infinite"},
      {"rows-differ", "{differing}"},
      {"constant-rows", "every row is the same, so the table carries no position information"},
  };
  return all;
}

}  // namespace posenc::model
