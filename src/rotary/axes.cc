// axes.cc: the axis of every pair.
#include "posenc/rotary/axes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "posenc/wave.h"

namespace posenc {
namespace {

int64_t whole(double section) { return static_cast<int64_t>(section); }
int64_t sum(const Sections& sections) {
  int64_t out = 0;
  for (const double s : sections) out += whole(s);
  return out;
}

void check_sections(const Sections& sections) {
  if (sections.empty() || std::ssize(sections) > max_axes)
    fail("rope", "expected axes.sections for 1 to ", max_axes, " axes, got ", sections.size());
  for (const double s : sections)
    if (!(s >= 1 && s <= max_size && s == std::floor(s)))
      fail("rope", "expected axes.sections as whole numbers of pairs, got ", s);
}

void check_sum(const Sections& sections, int64_t pairs) {
  check_sections(sections);
  if (sum(sections) != pairs)
    fail("rope", "expected axes.sections that sum to the ", pairs, " pairs that rotate, got ",
         sum(sections));
}

// For each pair the number of its section, one section after the other.
std::vector<int64_t> chunks(const Sections& sections) {
  std::vector<int64_t> out;
  for (size_t a = 0; a < sections.size(); ++a)
    out.insert(out.end(), static_cast<size_t>(whole(sections[a])), static_cast<int64_t>(a));
  return out;
}

// Axis a > 0 has the pairs a, a + n, a + 2n, .. of its first n * section ones.
std::vector<int64_t> alternating(const Sections& sections, int64_t pairs) {
  check_sections(sections);
  if (sum(sections) > pairs)
    fail("rope", "expected axes.sections that sum to at most the ", pairs,
         " pairs that rotate, got ", sum(sections));
  const int64_t axes = std::ssize(sections);
  std::vector<int64_t> out(static_cast<size_t>(pairs));
  for (int64_t k = 0; k < pairs; ++k) {
    const int64_t axis = k % axes;
    if (k < axes * whole(sections[static_cast<size_t>(axis)])) out[static_cast<size_t>(k)] = axis;
  }
  return out;
}

std::vector<int64_t> ernie(const Sections& sections, int64_t pairs) {
  if (sections.size() != 3 || sections[0] != sections[1])
    fail("rope", "expected axes.sections h,w,t with equal h and w, got ", text::write(sections));
  std::vector<int64_t> out(static_cast<size_t>(pairs));
  for (int64_t k = 0; k < 2 * whole(sections[0]); ++k) out[static_cast<size_t>(k)] = 1 + k % 2;
  return out;
}

// Axes one after the other, without those whose section is full.
std::vector<int64_t> in_turn(const Sections& sections, int64_t pairs) {
  std::vector<int64_t> left, out;
  for (const double s : sections) left.push_back(whole(s));
  for (size_t axis = 0; std::ssize(out) < pairs; axis = (axis + 1) % left.size())
    if (left[axis]-- > 0) out.push_back(static_cast<int64_t>(axis));
  return out;
}

// Of the axes with pairs left, the one with the smallest share placed; not the one before it
// unless it is alone.
size_t most_behind(const std::vector<int64_t>& placed, const std::vector<int64_t>& counts,
                   size_t before) {
  size_t best = before;
  for (size_t a = 0; a < counts.size(); ++a) {
    if (a == before || placed[a] == counts[a]) continue;
    if (best == before || placed[a] * counts[best] < placed[best] * counts[a]) best = a;
  }
  return best;
}

std::vector<int64_t> balanced(const Sections& sections, int64_t pairs) {
  const bool ends = sections.size() == 3;  // with the first axis
  std::vector<int64_t> counts, placed(sections.size()), out;
  for (const double s : sections) counts.push_back(whole(s));
  if (ends) --counts[0];
  size_t axis = sections.size();
  while (std::ssize(out) < pairs - (ends ? 1 : 0)) {
    axis = most_behind(placed, counts, axis);
    ++placed[axis], out.push_back(static_cast<int64_t>(axis));
  }
  if (ends) out.push_back(0);
  return out;
}

}  // namespace

std::vector<int64_t> OneAxis::assigned(int64_t pairs) const {
  return std::vector<int64_t>(static_cast<size_t>(pairs));
}

template <SectionOrder order>
std::vector<int64_t> SectionAxes<order>::assigned(int64_t pairs) const {
  if (order == SectionOrder::alternating) return alternating(sections, pairs);
  check_sum(sections, pairs);
  if (order == SectionOrder::ernie) return ernie(sections, pairs);
  if (order == SectionOrder::balanced) return balanced(sections, pairs);
  if (order == SectionOrder::in_turn) return in_turn(sections, pairs);
  const auto unequal = std::adjacent_find(sections.begin(), sections.end(), std::not_equal_to<>());
  if (order == SectionOrder::dealt && unequal != sections.end())
    fail("rope", "expected axes.sections of equal size to deal frequencies out, got ",
         text::write(sections));
  return chunks(sections);
}
template struct SectionAxes<SectionOrder::chunked>;
template struct SectionAxes<SectionOrder::alternating>;
template struct SectionAxes<SectionOrder::ernie>;
template struct SectionAxes<SectionOrder::balanced>;
template struct SectionAxes<SectionOrder::restart>;
template struct SectionAxes<SectionOrder::dealt>;
template struct SectionAxes<SectionOrder::in_turn>;

Fields ListedAxes::fields() { return {{"of_pair", &ListedAxes::of_pair, "the axis of each pair"}}; }

int64_t ListedAxes::axes() const {
  double most = 0;
  for (const double a : of_pair) most = std::max(most, a);
  return whole(std::min<double>(most, max_axes)) + 1;
}

std::vector<int64_t> ListedAxes::assigned(int64_t pairs) const {
  if (std::ssize(of_pair) != pairs)
    fail("rope", "expected axes.of_pair for the ", pairs, " pairs that rotate, got ",
         of_pair.size());
  std::vector<int64_t> out;
  for (const double a : of_pair) {
    if (!(a >= 0 && a < max_axes && a == std::floor(a)))
      fail("rope", "expected axes.of_pair as whole numbers from 0 to ", max_axes - 1, ", got ", a);
    out.push_back(whole(a));
  }
  return out;
}

bool has_own_frequencies(const AxisRule& rule) {
  return std::holds_alternative<Restart>(rule) || std::holds_alternative<Dealt>(rule) ||
         std::holds_alternative<InTurn>(rule);
}

std::vector<PairAxis> pair_axes(const AxisRule& rule, int64_t pairs) {
  const auto axis = std::visit([&](const auto& r) { return r.assigned(pairs); }, rule);
  const int64_t axes = std::visit([](const auto& r) { return r.axes(); }, rule);
  std::vector<PairAxis> out;
  for (int64_t k = 0; k < pairs; ++k) out.push_back({axis[static_cast<size_t>(k)], k, pairs});
  if (!has_own_frequencies(rule)) return out;
  std::vector<int64_t> seen(static_cast<size_t>(axes));
  for (PairAxis& p : out) p.index = seen[static_cast<size_t>(p.axis)]++;
  for (PairAxis& p : out) {
    if (std::holds_alternative<Dealt>(rule)) {
      p.index = p.index * axes + p.axis;
    } else {
      p.count = seen[static_cast<size_t>(p.axis)];
    }
  }
  return out;
}

}  // namespace posenc
