// rotary_axes.h: the axis of each pair of a rotary scheme; internal to the reference.
#pragma once

#include <algorithm>

#include "posenc/rotary/rope.h"

namespace posenc::reference {

// The axis a pair listens to, and its place among the frequencies.
struct PairIndex {
  size_t axis;
  int64_t index, count;
};

// The section pair k is in, and its place there.
inline PairIndex chunk(const Sections& sections, int64_t k) {
  size_t axis = 0;
  for (; k >= static_cast<int64_t>(sections[axis]); ++axis)
    k -= static_cast<int64_t>(sections[axis]);
  return {axis, k, static_cast<int64_t>(sections[axis])};
}

inline size_t axis_of(const OneAxis&, int64_t) { return 0; }
inline size_t axis_of(const Chunked& rule, int64_t k) { return chunk(rule.sections, k).axis; }
inline size_t axis_of(const Restart& rule, int64_t k) { return chunk(rule.sections, k).axis; }
inline size_t axis_of(const Dealt& rule, int64_t k) { return chunk(rule.sections, k).axis; }
inline size_t axis_of(const ListedAxes& rule, int64_t k) {
  return static_cast<size_t>(rule.of_pair[static_cast<size_t>(k)]);
}
inline size_t axis_of(const Alternating& rule, int64_t k) {
  const int64_t axes = std::ssize(rule.sections), axis = k % axes;
  const double section = rule.sections[static_cast<size_t>(axis)];
  return k < axes * static_cast<int64_t>(section) ? static_cast<size_t>(axis) : 0;
}
// As many rounds as it takes, every axis once in each while it has pairs left.
inline std::vector<PairIndex> rounds(const Sections& sections) {
  std::vector<PairIndex> out;
  const double most = *std::max_element(sections.begin(), sections.end());
  for (int64_t round = 0; static_cast<double>(round) < most; ++round)
    for (size_t axis = 0; axis < sections.size(); ++axis)
      if (static_cast<double>(round) < sections[axis])
        out.push_back({axis, round, static_cast<int64_t>(sections[axis])});
  return out;
}
inline size_t axis_of(const InTurn& rule, int64_t k) {
  return rounds(rule.sections)[static_cast<size_t>(k)].axis;
}
// openPangu's sequence: by share placed, then by number; of three axes the first ends it.
inline size_t axis_of(const Balanced& rule, int64_t k) {
  Sections counts = rule.sections, placed(counts.size());
  if (counts.size() == 3) counts[0] -= 1;
  std::vector<size_t> sequence;
  for (bool any = true; any;) {
    std::vector<std::pair<double, size_t>> able;
    for (size_t a = 0; a < counts.size(); ++a)
      if (placed[a] < counts[a]) able.emplace_back(placed[a] / counts[a], a);
    if (able.size() > 1 && !sequence.empty())
      std::erase_if(able, [&](const auto& x) { return x.second == sequence.back(); });
    if ((any = !able.empty())) {
      sequence.push_back(std::min_element(able.begin(), able.end())->second);
      placed[sequence.back()] += 1;
    }
  }
  sequence.resize(std::max(sequence.size(), static_cast<size_t>(k) + 1));  // 0 at the end
  return sequence[static_cast<size_t>(k)];
}
inline size_t axis_of(const ErnieAxes& rule, int64_t k) {  // coordinates are T, H, W
  const auto grid = static_cast<int64_t>(rule.sections[0] + rule.sections[1]);
  return k >= grid ? 0 : k % 2 == 0 ? 1 : 2;
}

inline PairIndex index_of(const Rope& s, int64_t k) {
  const size_t axis = std::visit([&](const auto& r) { return axis_of(r, k); }, s.axes);
  if (const auto* own = std::get_if<Restart>(&s.axes)) return chunk(own->sections, k);
  if (const auto* turns = std::get_if<InTurn>(&s.axes))
    return rounds(turns->sections)[static_cast<size_t>(k)];
  if (const auto* dealt = std::get_if<Dealt>(&s.axes))
    return {
        axis,
        chunk(dealt->sections, k).index * std::ssize(dealt->sections) + static_cast<int64_t>(axis),
        s.pairs()};
  return {axis, k, s.pairs()};
}

}  // namespace posenc::reference
