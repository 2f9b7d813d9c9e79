// sinusoidal.cc: fixed sinusoids (Vaswani et al., 2017) and every convention that grew from them.
#include "posenc/absolute/sinusoidal.h"

#include <algorithm>
#include <cmath>

#include "frequencies/sines.h"

namespace posenc {

Fields Sinusoidal::fields() {
  using S = Sinusoidal;
  return {
      {"dim", &S::dim, "columns: the size of the embedding"},
      {"base", &S::base, "base of the frequencies"},
      {"rule", &S::rule, "how the frequencies follow from base and dim"},
      {"order", &S::order, "order of the sines and cosines in a row"},
      {"first", &S::first, "which of a pair comes first"},
      {"odd", &S::odd, "last column of an odd dim: keep its sine, or zero"},
      {"offset", &S::offset, "added to every position"},
      {"padding", &S::padding, "a row of zeros; rows are positions with the offset"},
      {"position_scale", &S::position_scale, "multiplies every position"},
      {"scale", &S::scale, "multiplies every row"},
      {"norm", &S::norm, "a factor on every row that depends on dim"},
      {"learned_scale", &S::learned_scale, "multiply rows by a learned number, `alpha`", "true"},
      {"normalize_rows", &S::normalize_rows,
       "shift and scale all rows so that the first N have mean 0 and deviation 0.1"},
      {"numerics", &S::numerics, "how frequencies and phases are rounded"},
      {"exponent", &S::exponent,
       "order of rounded operations: k (log base / n), or (k log base) / n"}};
}

std::vector<Weight> Sinusoidal::weights() const {
  if (!learned_scale) return {};
  return {{"alpha", {1}, 1, 0}};
}

std::vector<Frequency> Sinusoidal::frequencies() const {
  const int64_t columns = odd == Odd::zero ? std::max<int64_t>(2 * pair_count(), 1) : dim;
  auto out = posenc::frequencies(rule, base, columns, pair_count(), numerics, exponent);
  for (Frequency& f : out) {
    if (position_scale != 1) f = f * position_scale;
    if (numerics != Numerics::exact) f = rounded_to_f32(f);
  }
  return out;
}

double norm_factor(Norm norm, int64_t dim) {
  const auto d = static_cast<double>(dim);
  return norm == Norm::none ? 1 : norm == Norm::rsqrt_dim ? 1 / std::sqrt(d) : std::sqrt(2 / d);
}

double Sinusoidal::amplitude() const { return scale * norm_factor(norm, dim) * moments().factor; }
double Sinusoidal::raise() const {
  const auto [mean, factor] = moments();
  return -mean * scale * norm_factor(norm, dim) * factor;
}

// Of amplitude 1.
std::vector<Wave> Sinusoidal::plain_waves() const {
  const auto f = frequencies();
  std::vector<Wave> out(static_cast<size_t>(dim));
  const int64_t filled = odd == Odd::zero ? 2 * pair_count() : dim;
  for (int64_t c = 0; c < filled; ++c) {
    const PairColumn at = pair_column(c);
    const auto& w = f[static_cast<size_t>(is_per_column(rule) ? c : at.pair)];
    const bool is_cosine = at.second == (first == First::sine);
    out[static_cast<size_t>(c)] = is_cosine ? cosine(w) : sine(w);
  }
  return out;
}

Sinusoidal::RowMoments Sinusoidal::moments() const {
  if (!normalize_rows) return {};
  const auto columns = plain_waves();
  std::vector<Turn> turns(columns.size());
  std::vector<double> row(columns.size());
  double first = 0, sum = 0, squares = 0;  // of differences from the first: no digit is lost
  for (int64_t p = 0; p < *normalize_rows; ++p) {
    for (size_t c = 0; c < row.size(); ++c)
      turns[c] = columns[c].frequency.empty()
                     ? 0
                     : columns[c].phase + phase(columns[c].frequency[0], p + offset);
    cpu::sines(turns.data(), row.data(), row.size());
    if (p == 0) first = row[0];
    for (double x : row) sum += x - first, squares += (x - first) * (x - first);
  }
  const double n = static_cast<double>(*normalize_rows) * static_cast<double>(dim);
  const double variance = (squares - sum * sum / n) / (n - 1);
  if (!(variance > 0)) fail(name, "expected rows that differ to normalize, got equal numbers");
  return {first + sum / n, 0.1 / std::sqrt(variance)};
}

std::vector<Wave> Sinusoidal::waves(std::span<const Tensor> weights) const {
  const double fixed = amplitude(), alpha = learned_scale ? values(weights[0])[0] : 1;
  auto out = plain_waves();
  for (Wave& wave : out) {
    if (wave.kind == Wave::Kind::zero) continue;
    wave.amplitude = fixed * alpha;
    if (learned_scale) wave.amplitude_link = {0, 0, fixed};
  }
  return out;
}

std::vector<Preset<Sinusoidal>> Sinusoidal::presets() {
  const TimescalesRule timescales;
  const auto halves = Order::halves;
  const auto cosine = First::cosine;
  const auto zero = Odd::zero;
  return {
      {"paper", "Vaswani et al. 2017, XLM: w_k = base^(-2k/dim), sine and cosine side by side", {}},
      {"tensor2tensor",
       "tensor2tensor, TimesFM: sines then cosines, w_k = base^(-k/(n-1)), a zero column "
       "for an odd dim",
       {.rule = timescales, .order = halves, .odd = zero}},
      {"fairseq",
       "fairseq, M2M-100, NLLB: as tensor2tensor, but the first token reads row 2, and row 1, "
       "padding_idx, is 0",
       {.rule = timescales, .order = halves, .odd = zero, .offset = 2, .padding = 1}},
      {"marian",
       "Marian, RoFormer: sines then cosines with the paper's frequencies",
       {.order = halves}},
      {"whisper",
       "Whisper: as tensor2tensor",
       {.dim = 384, .rule = timescales, .order = halves, .odd = zero}},
      {"musicgen",
       "MusicGen: cosines then sines, w_k = base^(-k/(n-1))",
       {.rule = timescales, .order = halves, .first = cosine, .odd = zero}},
      {"ddpm",
       "DDPM (Ho et al. 2020), diffusion time steps: as tensor2tensor",
       {.dim = 128, .rule = timescales, .order = halves, .odd = zero}},
      {"diffusers",
       "time steps of diffusers' UNets: cosines then sines, w_k = base^(-2k/dim)",
       {.dim = 320,
        .order = halves,
        .first = cosine,
        .odd = zero,
        .exponent = Exponent::product_first}},
      {"mlx",
       "mlx.nn.SinusoidalPositionalEncoding: as tensor2tensor, times sqrt(2/dim)",
       {.rule = timescales, .order = halves, .odd = zero, .norm = Norm::sqrt_2_over_dim}},
      {"pyg",
       "torch_geometric PositionalEncoding: as tensor2tensor; granularity g is "
       "position_scale 1/g",
       {.rule = timescales, .order = halves, .odd = zero}},
      {"patchtst",
       "PatchTST's sincos: the paper's, shifted and scaled as a table of so many patches",
       {.dim = 128, .normalize_rows = 32}},
      {"kimi-frames",
       "Kimi-K2.5: what a frame adds to learned-grid --preset kimi; frame 0 adds nothing",
       {.dim = 1152, .order = halves, .offset = -1, .padding = -1}},
      {"per-column",
       "a mistake in tutorials: every column has its own exponent, base^(-c/dim)",
       {.rule = PerColumnRule{}}},
      {"raw-index",
       "a mistake in tutorials: the exponent counts columns, base^(-2c/dim)",
       {.rule = RawIndexRule{}}},
      {"degrees",
       "a table printed in tutorials: one degree per position, cosine first",
       {.dim = 2, .rule = ExplicitRule{{1}, Unit::degrees}, .first = cosine}},
  };
}

namespace {

void check_normal(const Sinusoidal& s) {
  check_size(s.name, "normalize_rows", *s.normalize_rows);
  if (*s.normalize_rows * s.dim < 2)
    fail(s.name, "expected a table of at least 2 numbers to normalize, got 1");
  if (s.position_scale == 0)
    fail(s.name, "expected rows that differ to normalize, got position_scale 0");
  if (constexpr int64_t most = 1 << 26; *s.normalize_rows > most / s.dim)
    fail(s.name, "expected a table of at most ", most, " numbers to normalize, got ",
         *s.normalize_rows, " x ", s.dim);
  if (s.learned_scale) fail(s.name, "expected normalize_rows or learned_scale, got both");
  if (s.odd == Odd::zero && s.dim % 2 == 1)
    fail(s.name, "expected an even dim with normalize_rows and odd zero, got ", s.dim);
}

}  // namespace

void Sinusoidal::check() const {
  check_size(name, "dim", dim);
  check_positive(name, "base", base);
  check_finite(name, "position_scale", position_scale);
  check_finite(name, "scale", scale);
  check_offset(name, offset);
  check_offset(name, padding.value_or(0));
  if (normalize_rows) check_normal(*this);
  if (const auto* t = std::get_if<TimescalesRule>(&rule)) {
    check_positive(name, "rule.min_timescale", t->min_timescale);
    check_positive(name, "rule.max_timescale", t->max_timescale.value_or(base));
  }
  if (const auto* given = std::get_if<ExplicitRule>(&rule)) {
    if (std::ssize(given->frequencies) != pair_count())
      fail(name, "expected ", pair_count(), " explicit frequencies, one for each pair of dim ", dim,
           ", got ", given->frequencies.size());
    for (double f : given->frequencies) check_finite(name, "rule.frequencies", f);
    if (base != Sinusoidal{}.base)
      fail(name, "expected no base with explicit frequencies, got base ", base);
  }
}

}  // namespace posenc
