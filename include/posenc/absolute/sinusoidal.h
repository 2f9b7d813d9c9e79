// sinusoidal.h: fixed sinusoids (Vaswani et al., 2017) and all conventions derived from them.
//
//   column of a sine     scale * sin((p + offset) * position_scale * w_k)
//   column of a cosine   scale * cos((p + offset) * position_scale * w_k)
//
// Implementations arrange the same numbers differently; the conventions are options:
//
//   order  interleaved   [s0 c0 s1 c1 s2 c2]      halves   [s0 s1 s2 | c0 c1 c2]
//   first  sine          as above                 cosine   s and c exchanged
//   odd    keep          [s0 c0 s1 c1 s2]         zero     [s0 c0 s1 c1 0]        dim = 5
#pragma once

#include "posenc/absolute/frequency_rule.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Order : uint8_t { interleaved, halves };
constexpr auto enum_names(Order) { return names({"interleaved", "halves"}); }
enum class First : uint8_t { sine, cosine };
constexpr auto enum_names(First) { return names({"sine", "cosine"}); }
enum class Odd : uint8_t { keep, zero };
constexpr auto enum_names(Odd) { return names({"keep", "zero"}); }
enum class Norm : uint8_t { none, sqrt_2_over_dim, rsqrt_dim };
constexpr auto enum_names(Norm) { return names({"none", "sqrt-2-over-dim", "rsqrt-dim"}); }

double norm_factor(Norm norm, int64_t dim);

struct Sinusoidal {
  static constexpr std::string_view name = "sinusoidal";
  static constexpr std::string_view about = "fixed sines and cosines of the position";
  static constexpr std::string_view used_by =
      "the Transformer (Vaswani et al. 2017), Marian, M2M-100, NLLB, Whisper, MusicGen, SpeechT5, "
      "PatchTST; time steps of diffusion models";

  int64_t dim = 512;
  double base = 10000;
  FrequencyRule rule = PaperRule{};
  Order order = Order::interleaved;
  First first = First::sine;
  Odd odd = Odd::keep;
  int64_t offset = 0;
  std::optional<int64_t> padding{};
  double position_scale = 1;
  double scale = 1;
  Norm norm = Norm::none;
  bool learned_scale = false;
  std::optional<int64_t> normalize_rows{};
  Numerics numerics = Numerics::exact;
  Exponent exponent = Exponent::slope_first;

  static Fields fields();
  static std::vector<Preset<Sinusoidal>> presets();
  void check() const;
  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const;

  // The last column of an odd dim has no partner: it is a sine, or zero.
  int64_t pair_count() const { return odd == Odd::zero ? dim / 2 : (dim + 1) / 2; }

  // The pair of column c, and whether c is its second column.
  struct PairColumn {
    int64_t pair;
    bool second;
  };
  PairColumn pair_column(int64_t c) const {
    if (order == Order::interleaved) return {c / 2, c % 2 == 1};
    const int64_t n = pair_count();
    return c < n ? PairColumn{c, false} : PairColumn{c - n, true};
  }

  // One frequency per pair, or per column if the rule has them; none for a zero column.
  std::vector<Frequency> frequencies() const;
  double amplitude() const;
  double raise() const;  // the constant added to every column
  std::vector<Wave> waves(std::span<const Tensor> weights) const;

 private:
  std::vector<Wave> plain_waves() const;
  struct RowMoments {
    double mean = 0, factor = 1;  // 1 / (10 deviation)
  };
  RowMoments moments() const;  // of normalize_rows rows
};

}  // namespace posenc
