// shift.cc: M_k as a value.
#include "posenc/shift.h"

#include "base/batch.h"
#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "frequencies/sines.h"

namespace posenc {
namespace {

bool same(const Frequency& a, const Frequency& b) {
  return a.turns == b.turns && a.hi == b.hi && a.lo == b.lo;
}

Turn angle_of(const std::vector<Shift::Pair>& pairs, size_t pair) {
  if (pair >= pairs.size()) fail("shift", "expected a pair below ", pairs.size(), ", got ", pair);
  return pairs[pair].angle;
}

}  // namespace

Shift shift(const Sinusoidal& s, int64_t k) {
  check_choices(s.name, s);
  s.check();
  if (is_per_column(s.rule))
    fail("shift", "expected pairs of one frequency, got rule ", alternative_name(s.rule),
         ": sine and cosine of a pair turn at different speeds, so no M_k moves them together");
  if (s.odd == Odd::keep && s.dim % 2 == 1)
    fail("shift", "expected pairs of columns, got dim ", s.dim,
         ": the last sine has no cosine, and by itself it does not determine how it moves");
  if (s.normalize_rows)
    fail("shift", "expected rows that only rotate, got normalize_rows ", *s.normalize_rows,
         ": what is subtracted from them does not rotate");
  if (s.numerics == Numerics::torch_f32)
    fail("shift",
         "expected exact phases, got numerics torch-f32: its rounded phases do not move "
         "by the same angle everywhere");
  Shift out;
  out.dim_ = s.dim, out.frequencies_ = s.frequencies();
  out.pairs_.resize(static_cast<size_t>(s.pair_count()));
  for (int64_t c = 0; c < 2 * s.pair_count(); ++c) {
    const auto column = s.pair_column(c);
    auto& pair = out.pairs_[static_cast<size_t>(column.pair)];
    (column.second == (s.first == First::sine) ? pair.cosine : pair.sine) = c;
    pair.angle = phase(out.frequencies_[static_cast<size_t>(column.pair)], k);
  }
  return out;
}

double Shift::sine(size_t pair) const {
  const Turn angle = angle_of(pairs_, pair);
  double value;
  cpu::sines(&angle, &value, 1);
  return value;
}

double Shift::cosine(size_t pair) const {
  const Turn angle = angle_of(pairs_, pair) + quarter_turn;
  double value;
  cpu::sines(&angle, &value, 1);
  return value;
}

std::vector<double> Shift::matrix() const {
  const auto n = static_cast<size_t>(dim_);
  std::vector<double> out(n * n);
  for (size_t c = 0; c < n; ++c) out[c * n + c] = 1;  // a zero column stays as it is
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto s = static_cast<size_t>(pairs_[i].sine), c = static_cast<size_t>(pairs_[i].cosine);
    out[s * n + s] = out[c * n + c] = cosine(i);
    out[s * n + c] = sine(i);
    out[c * n + s] = -sine(i);
  }
  return out;
}

void Shift::apply(const Tensor& rows, const Tensor& out) const {
  check_rows("shift", "rows", rows, dim_);
  check_host_memory("shift", "rows", rows);
  check_same("shift", "out", out, rows);
  check_output("shift", out);
  check_overlap("shift", rows, out);
  const Batch from(rows, 2), to(out, 2);
  dispatch(rows.dtype, [&]<class T>() {
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const double cos = cosine(i), sin = sine(i);
      for (int64_t r = 0; r < from.rows; ++r)
        for (int64_t t = 0; t < from.tokens(); ++t) {
          const auto get = [&](int64_t c) {
            return as_double(*static_cast<const T*>(from.at(r, t, c)));
          };
          const auto put = [&](int64_t c, double v) {
            *static_cast<T*>(to.at(r, t, c)) = rounded_to<T>(static_cast<Compute<T>>(v));
          };
          const double s = get(pairs_[i].sine), c = get(pairs_[i].cosine);
          put(pairs_[i].sine, s * cos + c * sin);
          put(pairs_[i].cosine, c * cos - s * sin);
        }
    }
    if (2 * std::ssize(pairs_) < dim_)
      for (int64_t r = 0; r < from.rows; ++r)
        for (int64_t t = 0; t < from.tokens(); ++t)
          *static_cast<T*>(to.at(r, t, dim_ - 1)) = *static_cast<const T*>(from.at(r, t, dim_ - 1));
  });
}

Shift Shift::inverse() const {
  Shift out = *this;
  for (Pair& pair : out.pairs_) pair.angle = Turn{0} - pair.angle;
  return out;
}

Shift operator*(const Shift& a, const Shift& b) {
  bool equal = a.dim_ == b.dim_ && a.pairs_.size() == b.pairs_.size();
  for (size_t i = 0; equal && i < a.pairs_.size(); ++i)
    equal = a.pairs_[i].sine == b.pairs_[i].sine && a.pairs_[i].cosine == b.pairs_[i].cosine &&
            same(a.frequencies_[i], b.frequencies_[i]);
  if (!equal) fail("shift", "expected two shifts of one encoding, got different ones");
  Shift out = a;
  for (size_t i = 0; i < out.pairs_.size(); ++i) out.pairs_[i].angle += b.pairs_[i].angle;
  return out;
}

}  // namespace posenc
