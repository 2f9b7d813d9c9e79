// rope.cc: cosines and sines of rotary schemes.
#include <cmath>

#include "reference/formulas.h"
#include "reference/rotary_axes.h"
#include "reference/rotary_rules.h"

namespace posenc::reference {
namespace {

Real step(const PairIndex& p) { return p.count == 1 ? Real(0) : Real(p.index) / (p.count - 1); }

Real exactly(const Real& x) { return x; }
Real exactly(const Rounded& x) { return x.value(); }

// torch.linspace: the step is an N, places count from the nearer end and are rounded once.
template <class N>
N between(const Real& from, const Real& to, const PairIndex& p) {
  if (p.count == 1) return N(from);
  const N first(from), last(to);
  const Real one = exactly((last - first) / N(p.count - 1));
  return p.index < p.count / 2 ? N(exactly(first) + one * p.index)
                               : N(exactly(last) - one * (p.count - 1 - p.index));
}

// Sources that know nothing of the base, in radians per position.
template <class N>
N given(const Pixels& s, const PairIndex& p) {
  if (s.linear) return between<N>(1, Real(s.max_res) / 2, p) * N(pi());
  return power(N(2), between<N>(0, log2(Real(s.max_res)) - 1, p)) * N(pi());
}
template <class N>
N given(const AxisPowers& s, const PairIndex& p) {
  return N(1) / power(N(s.bases[p.axis]), N(p.index) / N(p.count));
}
template <class N>
N given(const Periods& s, const PairIndex& p) {
  return N(2 * pi() / (s.min_period * pow(Real(s.max_period) / s.min_period, step(p))));
}
template <class N>
N given(const ListedFrequencies& s, const PairIndex& p) {
  return N(s.values[static_cast<size_t>(p.index)]);
}
template <class N>
N given(const auto&, const PairIndex&) {
  return N(0);
}

template <class N>
N unit_of(const Powers& powers) {
  return N(powers.unit == Unit::radians   ? Real(1)
           : powers.unit == Unit::degrees ? pi() / 180
                                          : 2 * pi());
}

// Powers of the base, of which a mixture keeps the first, or those of more than one turn.
template <class N>
N mixed_power(const Fourier& f, const Rope& s, const PairIndex& p) {
  const Real exact = pow(Real(s.base), -Real(p.index) / p.count);
  const bool keeps =
      f.num_inv_freq ? p.index < *f.num_inv_freq : exact > 2 * pi() / f.max_position_embeddings;
  return keeps ? N(1) / power(N(s.base), N(p.index) / N(p.count)) : N(0);
}

template <class N>
N frequency_as(const Rope& s, int64_t k, int64_t length) {
  const PairIndex pair = index_of(s, k);
  if (const auto* fourier = std::get_if<Fourier>(&s.frequencies)) {
    const auto* linear = std::get_if<Linear>(&s.scaling);
    return mixed_power<N>(*fourier, s, pair) / N(linear ? linear->factor : 1);
  }
  if (const auto* powers = std::get_if<Powers>(&s.frequencies))
    return std::visit(
        [&](const auto& rule) {
          const N exponent = N(pair.index) / N(pair.count);
          const N period = power(N(base_of(rule, s, length)), exponent);
          return scaled(rule, s, k, length, period) * unit_of<N>(*powers);
        },
        s.scaling);
  const auto* linear = std::get_if<Linear>(&s.scaling);
  const N source = std::visit([&](const auto& f) { return given<N>(f, pair); }, s.frequencies);
  return source / N(linear ? linear->factor : 1);
}

// The angle of a token, from what pair k turns per position on each axis. With torch-f32 a position
// is a double that becomes an f32, and so is its product with the rate.
Angle angle_of(const Rope& s, const std::vector<Real>& rates, const Real& phase) {
  return [s, rates, phase](const Point& p) {
    const bool rounds = s.numerics == Numerics::torch_f32;
    Real angle = phase;
    for (size_t a = 0; a < rates.size(); ++a) {
      const Real at = p[a] + s.offset;
      angle += rounds ? (Rounded(nearest_f64(at)) * Rounded(rates[a])).value() : at * rates[a];
    }
    return s.sign == Sign::positive ? angle : Real(-angle);
  };
}

// The rates of every pair of every head, one for each axis.
std::vector<std::vector<Real>> rates_of(const Rope& s, const Weights& weights, int64_t length) {
  std::vector<std::vector<Real>> out;
  const auto axes = static_cast<size_t>(s.axis_count());
  if (std::holds_alternative<LearnedFrequencies>(s.frequencies)) {
    const auto& learned = weights.at(0);
    for (size_t i = 0; i < learned.size(); ++i) {
      if (i % axes == 0) out.emplace_back();
      out.back().push_back(s.numerics == Numerics::exact ? Real(learned[i])
                                                         : Rounded(learned[i]).value());
    }
    return out;
  }
  const auto* phases = std::get_if<LearnedPhases>(&s.phases);
  for (int64_t head = 0; head < (phases ? phases->heads : 1); ++head)
    for (int64_t k = 0; k < s.pairs(); ++k) {
      out.emplace_back(axes);
      out.back()[index_of(s, k).axis] = frequency(s, k, length);
    }
  return out;
}

// What is added to an angle of keys, which is what tables hold.
Real phase_of(const Rope& s, const Weights& weights, size_t pair) {
  if (std::holds_alternative<NoPhases>(s.phases)) return 0;
  const double given = weights.at(0)[pair];
  return given > 0 ? Real(0) : given < -2 * M_PI ? -2 * pi() : Real(given);
}

// FoPE: a cosine of a head is a sum of those of all mixed pairs, each times its coefficient, and a
// sine likewise; those of other pairs are 1, or a sine of 0.
std::vector<Column> mixed_columns(const Rope& s, const Weights& weights, int64_t length) {
  const auto& fourier = std::get<Fourier>(s.frequencies);
  std::vector<Angle> angles;
  for (int64_t k = 0; k < s.pairs(); ++k)
    if (const Real rate = frequency(s, k, length); rate > 0)
      angles.push_back(angle_of(s, {rate}, 0));
  const size_t mixed = angles.size();
  const double still = fourier.rest == RestPairs::still ? 0 : s.sign == Sign::positive ? 1 : -1;
  std::vector<Column> out;
  for (size_t column = 0; column < static_cast<size_t>(fourier.heads * 2 * s.pairs()); ++column) {
    const auto pairs = static_cast<size_t>(s.pairs());
    const size_t d = column % pairs, head = column / pairs / 2, is_sine = column / pairs % 2;
    if (d >= mixed) {
      const double rest = is_sine ? still : 1;
      out.push_back({Column::Kind::line, 0, [=](const Point&) { return Real(rest); }});
      continue;
    }
    std::vector<double> shares;
    double most = 0;
    for (size_t i = 0; i < mixed; ++i) {
      const size_t first = (is_sine * static_cast<size_t>(fourier.heads) + head) * mixed;
      most += std::abs(shares.emplace_back(weights.at(0).at((first + i) * mixed + d)));
    }
    out.push_back({Column::Kind::wave, most, [=](const Point& p) {
                     Real sum = 0;
                     for (size_t i = 0; i < mixed; ++i)
                       sum += shares[i] * (is_sine ? sin(angles[i](p)) : cos(angles[i](p)));
                     return sum;
                   }});
  }
  return out;
}

}  // namespace

Real frequency(const Rope& s, int64_t pair, int64_t length) {
  return s.numerics == Numerics::exact ? exactly(frequency_as<Real>(s, pair, length))
                                       : exactly(frequency_as<Rounded>(s, pair, length));
}

std::vector<Column> columns_of(const Rope& s, const Weights& weights, int64_t length) {
  if (std::holds_alternative<Fourier>(s.frequencies)) return mixed_columns(s, weights, length);
  const Real m = cos_sin_factor(s.scaling, length);
  const auto pairs = static_cast<size_t>(s.pairs());
  const auto rates = rates_of(s, weights, length);
  std::vector<Column> out;
  for (size_t head = 0; head < rates.size(); head += pairs)
    for (const bool is_cosine : {true, false})
      for (size_t k = head; k < head + pairs; ++k)
        out.push_back(wave(is_cosine, m, angle_of(s, rates[k], phase_of(s, weights, k))));
  return out;
}

}  // namespace posenc::reference
