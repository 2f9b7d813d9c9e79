// rope.cc: cosines and sines of rotary schemes.
#include "reference/formulas.h"
#include "reference/rotary_rules.h"

namespace posenc::reference {
namespace {

// The axis a pair listens to, and its place among the frequencies.
struct Place {
  size_t axis;
  int64_t index, count;
};

// The section pair k is in, and its place there.
Place chunk(const Sections& sections, int64_t k) {
  size_t axis = 0;
  for (; k >= static_cast<int64_t>(sections[axis]); ++axis)
    k -= static_cast<int64_t>(sections[axis]);
  return {axis, k, static_cast<int64_t>(sections[axis])};
}

size_t axis_of(const OneAxis&, int64_t) { return 0; }
size_t axis_of(const Chunked& rule, int64_t k) { return chunk(rule.sections, k).axis; }
size_t axis_of(const Restart& rule, int64_t k) { return chunk(rule.sections, k).axis; }
size_t axis_of(const Dealt& rule, int64_t k) { return chunk(rule.sections, k).axis; }
size_t axis_of(const ListedAxes& rule, int64_t k) {
  return static_cast<size_t>(rule.of_pair[static_cast<size_t>(k)]);
}
size_t axis_of(const Alternating& rule, int64_t k) {
  const int64_t axes = std::ssize(rule.sections), axis = k % axes;
  const double section = rule.sections[static_cast<size_t>(axis)];
  return k < axes * static_cast<int64_t>(section) ? static_cast<size_t>(axis) : 0;
}
size_t axis_of(const ErnieAxes& rule, int64_t k) {  // coordinates are T, H, W
  const auto grid = static_cast<int64_t>(rule.sections[0] + rule.sections[1]);
  return k >= grid ? 0 : k % 2 == 0 ? 1 : 2;
}

Place place_of(const Rope& s, int64_t k) {
  const size_t axis = std::visit([&](const auto& r) { return axis_of(r, k); }, s.axes);
  if (const auto* own = std::get_if<Restart>(&s.axes)) return chunk(own->sections, k);
  if (const auto* dealt = std::get_if<Dealt>(&s.axes))
    return {
        axis,
        chunk(dealt->sections, k).index * std::ssize(dealt->sections) + static_cast<int64_t>(axis),
        s.pairs()};
  return {axis, k, s.pairs()};
}

Real step(const Place& p) { return p.count == 1 ? Real(0) : Real(p.index) / (p.count - 1); }

Real exactly(const Real& x) { return x; }
Real exactly(const Rounded& x) { return x.value(); }

// torch.linspace: the step is an N, places count from the nearer end and are rounded once.
template <class N>
N between(const Real& from, const Real& to, const Place& p) {
  if (p.count == 1) return N(from);
  const N first(from), last(to);
  const Real one = exactly((last - first) / N(p.count - 1));
  return p.index < p.count / 2 ? N(exactly(first) + one * p.index)
                               : N(exactly(last) - one * (p.count - 1 - p.index));
}

// Sources that know nothing of the base, in radians per position.
template <class N>
N given(const Pixels& s, const Place& p) {
  if (s.linear) return between<N>(1, Real(s.max_res) / 2, p) * N(pi());
  return power(N(2), between<N>(0, log2(Real(s.max_res)) - 1, p)) * N(pi());
}
template <class N>
N given(const Periods& s, const Place& p) {
  return N(2 * pi() / (s.min_period * pow(Real(s.max_period) / s.min_period, step(p))));
}
template <class N>
N given(const ListedFrequencies& s, const Place& p) {
  return N(s.values[static_cast<size_t>(p.index)]);
}
template <class N>
N given(const auto&, const Place&) {
  return N(0);
}

template <class N>
N unit_of(const Powers& powers) {
  return N(powers.unit == Unit::radians   ? Real(1)
           : powers.unit == Unit::degrees ? pi() / 180
                                          : 2 * pi());
}

template <class N>
N frequency_as(const Rope& s, int64_t k, int64_t length) {
  const Place place = place_of(s, k);
  if (const auto* powers = std::get_if<Powers>(&s.frequencies))
    return std::visit(
        [&](const auto& rule) {
          const N exponent = N(place.index) / N(place.count);
          const N period = power(N(base_of(rule, s, length)), exponent);
          return scaled(rule, s, k, length, period) * unit_of<N>(*powers);
        },
        s.scaling);
  const auto* linear = std::get_if<Linear>(&s.scaling);
  const N source = std::visit([&](const auto& f) { return given<N>(f, place); }, s.frequencies);
  return source / N(linear ? linear->factor : 1);
}

// The angle of a token, from what pair k turns per position on each axis. With torch-f32 a position
// is a double that becomes an f32, and so is its product with the rate.
Angle angle_of(const Rope& s, const std::vector<Real>& rates) {
  return [s, rates](const Point& p) {
    const bool rounds = s.numerics == Numerics::torch_f32;
    Real angle = 0;
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
  for (int64_t k = 0; k < s.pairs(); ++k) {
    out.emplace_back(axes);
    out.back()[place_of(s, k).axis] = frequency(s, k, length);
  }
  return out;
}

}  // namespace

Real frequency(const Rope& s, int64_t pair, int64_t length) {
  return s.numerics == Numerics::exact ? exactly(frequency_as<Real>(s, pair, length))
                                       : exactly(frequency_as<Rounded>(s, pair, length));
}

std::vector<Column> columns_of(const Rope& s, const Weights& weights, int64_t length) {
  const Real m = cos_sin_factor(s.scaling, length);
  const auto pairs = static_cast<size_t>(s.pairs());
  const auto rates = rates_of(s, weights, length);
  std::vector<Column> out;
  for (size_t head = 0; head < rates.size(); head += pairs)
    for (const bool is_cosine : {true, false})
      for (size_t k = head; k < head + pairs; ++k)
        out.push_back(wave(is_cosine, m, angle_of(s, rates[k])));
  return out;
}

}  // namespace posenc::reference
