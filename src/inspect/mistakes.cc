// mistakes.cc: every mistake that can be named. A clause that follows "As preset paper, but ";
// words in braces are filled in from the explanation.
#include "identify.h"

namespace posenc {

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"wrong-base", "the base of the frequencies is {base}, not 10000"},
      {"doubled-exponent",
       "the exponent grows twice as fast (the numbers of base {base}), as when 2i is taken of an "
       "index that already steps by 2"},
      {"halved-exponent",
       "the exponent grows half as fast (the numbers of base {base}), as when the 2 of 2i/dim is "
       "left out"},
      {"shifted-exponent",
       "the exponent starts one step late, 2(k+1)/dim for 2k/dim: count pairs from 0"},
      {"half-shifted-exponent",
       "the exponent starts half a step late, (2k+1)/dim for 2k/dim: sine and cosine of pair k "
       "both "
       "have exponent 2k/dim"},
      {"exponent-over-dim-minus-1", "the exponent is divided by dim - 1, not by dim"},
      {"exponent-over-half-minus-1",
       "the exponent is k/(dim/2 - 1), as in tensor2tensor, not 2k/dim"},
      {"missing-minus", "the exponent lacks its minus sign, so that later columns turn faster"},
      {"integer-division",
       "every frequency is the same, as when 2i/dim is computed as an integer division"},
      {"log10-for-log", "the frequencies use log10 in place of the natural logarithm"},
      {"shifted-cosine-exponent",
       "each cosine has the frequency of the next pair; a sine and its cosine must share one"},
      {"swapped-sine-cosine", "sine and cosine have changed places"},
      {"halves-for-interleaved",
       "the frequencies are laid out in halves (w0 w1 ... w0 w1 ...) under sines and cosines that "
       "alternate; repeat each frequency twice in a row"},
      {"interleaved-for-halves",
       "each frequency is repeated twice in a row (w0 w0 w1 w1 ...) under sines and cosines in "
       "halves; lay the frequencies out in halves too"},
      {"only-sines", "every column is a sine; every second one should be a cosine"},
      {"only-cosines", "every column is a cosine; every second one should be a sine"},
      {"off-by-one-position", "the first row stands at position {offset}, one too far"},
      {"position-offset", "the first row stands at position {offset}"},
      {"reversed-positions", "the last position comes first"},
      {"degrees", "positions are taken as degrees: angles are multiplied by pi/180"},
      {"degrees-as-radians",
       "angles were turned into degrees before the sine, which wants radians"},
      {"turns", "angles are multiplied by 2 pi"},
      {"negated-sine", "every sine has the wrong sign"},
      {"scaled-positions", "positions are multiplied by {position_scale}"},
      {"scaled", "every element is multiplied by {scale}"},
      {"bf16-position",
       "positions were rounded to bf16, which counts only to 256: keep them as integers or f32"},
      {"bf16-frequency", "frequencies were rounded to bf16: keep them in f32"},
      {"bf16-phase", "position x frequency was rounded to bf16: form it in f32"},
      {"f16-position",
       "positions were rounded to f16, which counts only to 2048: keep them as integers or f32"},
      {"f16-frequency", "frequencies were rounded to f16: keep them in f32"},
      {"f16-phase", "position x frequency was rounded to f16: form it in f32"},
      {"transposed", "rows and columns have changed places"},
      {"batch-axis",
       "positions run along the batch axis and every token of a sequence has the same row: move "
       "the "
       "axes"},
      {"padding-row", "{zero_rows} all zero, as a padding row is"},
      {"not-finite", "{not_finite} NaN or infinite"},
      {"rows-differ", "{differing} from it"},
      {"constant-rows", "every row is the same, so the table tells no position"},
  };
  return all;
}

}  // namespace posenc
