// rotary_properties.cc: what is claimed of rotary encodings, measured on random vectors in f64.
#include "rotary_properties.h"

#include <limits>
#include <numbers>

#include "turned.h"
#include "verdict.h"

namespace posenc {
namespace {

using namespace inspect;

Property by_offset(const Turned& s) {
  Property p{.name = "score-by-offset", .claim = "q . k depends only on the offset"};
  int64_t worst = 0;
  double lengths = 0;
  for (int64_t offset = 0; offset < s.rows; offset += std::max<int64_t>(s.rows / 16, 1)) {
    const double here = product(s.turned(s.q, true, offset), s.turned(s.k, false, 0));
    for (const int64_t from : s.places()) {
      if (from + offset >= s.plan.max_length()) continue;
      const Vector q = s.turned(s.q, true, from + offset), k = s.turned(s.k, false, from);
      lengths = std::max(lengths, norm(q) * norm(k));
      const double change = std::abs(product(q, k) - here);
      if (change > p.measured + 2 * norm(q) * norm(k) * s.product_error())
        p.measured = change, worst = offset;
    }
  }
  p.bound = 2 * lengths * s.product_error();
  p.evidence = said(p.measured <= p.bound ? "at every offset" : said("at offset ", worst),
                    ", scores differ by ", amount(p), " between positions");
  if (s.rope.temperature.index() != 0) p.evidence += ": queries are scaled by their position";
  return judged(p, p.measured <= p.bound);
}

// The features that turn, of all heads.
Vector turning(const Turned& s, const Vector& x) {
  Vector out;
  for (int64_t h = 0; h < s.heads; ++h) {
    const auto first = x.begin() + h * s.rope.dim + s.rope.first_feature();
    out.insert(out.end(), first, first + s.rope.turning());
  }
  return out;
}

Property keeps_norm(const Turned& s) {
  const double m = s.plan.cos_sin_factor();
  Property p{
      .name = "norm-kept",
      .claim = m == 1 ? "rotation preserves every norm"
                      : said("rotation multiplies every norm by ", m, " and changes nothing else")};
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const bool query : {true, false})
    for (const int64_t place : s.places()) {
      const Vector& x = query ? s.q : s.k;
      const double ratio = norm(turning(s, s.turned(x, query, place))) / norm(turning(s, x));
      least = std::min(least, ratio), most = std::max(most, ratio);
    }
  p.measured = std::max(m - least, most - m);
  p.bound = m * s.product_error();
  const bool ok = p.measured <= p.bound;
  p.evidence = ok ? said("every norm is multiplied by ", m)
                  : said("norms are multiplied by ", least, " to ", most);
  return judged(p, ok);
}

// How far from x the turned x is brought back by a verb, relative to its length, at worst.
double way_back(const Turned& s, Verb verb, double& ratio) {
  double worst = 0;
  for (const bool query : {true, false})
    for (const int64_t place : s.places()) {
      const Vector& x = query ? s.q : s.k;
      const Vector back = s.turned(verb, s.plan, s.turned(x, query, place), query, place);
      worst = std::max(worst, distance(back, x) / norm(x));
      ratio = product(turning(s, back), turning(s, x)) / product(turning(s, x), turning(s, x));
    }
  return worst;
}

Property adjoint(const Turned& s) {
  Property p{.name = "adjoint-is-inverse", .claim = "the adjoint undoes the rotation"};
  double ratio = 0;
  p.measured = way_back(s, rotate_adjoint, ratio);
  p.bound = 2 * s.error();
  const bool ok = p.measured <= p.bound;
  p.evidence = ok ? said("after rotate and rotate_adjoint, vectors are off by ", amount(p))
                  : said("after rotate and rotate_adjoint, a vector is ", ratio,
                         " times the original: only rotate_inverse divides by the factor on "
                         "cosines and sines");
  return judged(p, ok);
}

Property inverse(const Turned& s) {
  Property p{.name = "inverse", .claim = "the inverse undoes the rotation and its factor"};
  double ratio = 0;
  p.measured = way_back(s, rotate_inverse, ratio);
  p.bound = 2 * s.error() + 4 * rounding;  // the magnitude and its inverse are rounded too
  p.evidence = said("after rotate and rotate_inverse, vectors are off by ", amount(p));
  return judged(p, p.measured <= p.bound);
}

// x as the projections of a model made for another layout would give it.
Vector laid_out(const Turned& s, Vector x, Layout to) {
  const Rope& r = s.rope;
  const Tensor t = tensor(x.data(), {std::ssize(x)});
  convert_layout(t, t, *r.layout, to, {s.heads, r.dim, r.rotary_dim, r.rotary_offset, r.blocks});
  return x;
}

Property layouts(const Turned& s) {
  Property p{.name = "layouts-agree",
             .claim = "with features reordered for another layout, scores stay the same"};
  double lengths = 0;
  for (const Layout to : {Layout::half, Layout::interleaved, Layout::interleaved_in_half_out}) {
    Rope other = s.rope;
    other.layout = to;
    const auto plan = prepare(other, {.weights = s.weights, .length = s.length});
    const Vector q = laid_out(s, s.q, to), k = laid_out(s, s.k, to);
    for (const int64_t place : s.places()) {
      const Vector here = s.turned(s.q, true, place), there = s.turned(s.k, false, 0);
      lengths = std::max(lengths, norm(here) * norm(there));
      const double score =
          product(s.turned(rotate, plan, q, true, place), s.turned(rotate, plan, k, false, 0));
      p.measured = std::max(p.measured, std::abs(score - product(here, there)));
    }
  }
  p.bound = 2 * lengths * s.product_error();
  p.evidence = said("scores differ by ", amount(p));
  return judged(p, p.measured <= p.bound);
}

Property full_turns(const Turned& s) {
  Property p{.name = "full-turns",
             .claim = said("every pair makes a full turn within ", s.length, " tokens")};
  if (s.plan.frequencies().empty()) return p.evidence = "its frequencies are learned", p;
  double slowest = 0;
  int64_t first = -1;
  for (size_t k = 0; k < s.plan.frequencies().size(); ++k) {
    const double wavelength = 2 * std::numbers::pi / std::abs(radians(s.plan.frequencies()[k]));
    slowest = std::max(slowest, wavelength);
    if (wavelength <= static_cast<double>(s.length)) continue;
    ++p.measured;
    if (first < 0) first = static_cast<int64_t>(k);
  }
  p.evidence = said("the slowest wavelength is ", slowest, " positions");
  if (first >= 0)
    p.evidence = said(p.measured, " of ", s.rope.pairs(), " pairs, from pair ", first,
                      " on, have wavelengths longer than the text, up to ", slowest);
  return judged(p, p.measured == 0);
}

Property factors(const Turned& s) {
  Property p{.name = "all-factors-applied", .claim = "no factor is left for the caller to apply"};
  p.measured = s.plan.softmax_factor(), p.bound = 1;
  p.evidence = said("rotate multiplies cosines and sines by ", s.plan.cos_sin_factor(), "; ") +
               (p.measured == 1 ? "the softmax scale stays as it is"
                                : said("you must multiply the softmax scale by ", p.measured));
  return judged(p, p.measured == 1);
}

}  // namespace

std::vector<Property> check_rotation(const Rope& scheme, std::span<const Tensor> weights,
                                     int64_t rows, int64_t length) {
  check_rows(rows);
  const Turned s = make_turned(scheme, weights, rows, length);
  if (scheme.turning() == 0) return {by_offset(s), inverse(s), factors(s)};
  return {by_offset(s), keeps_norm(s), adjoint(s), inverse(s),
          layouts(s),   full_turns(s), factors(s)};
}

}  // namespace posenc
