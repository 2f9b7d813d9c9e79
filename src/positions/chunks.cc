// chunks.cc: positions of long texts cut into chunks, or seen from beyond a window.
#include "posenc/positions/chunks.h"

#include <algorithm>

#include "positions/planning.h"

namespace posenc {
namespace {

// Whole places from 0 on, on one axis.
void check_text(const char* verb, const PlannedPositions& at) {
  if (at.axes != 1) fail(verb, "expected positions on one axis, got ", at.axes);
  for (int64_t p : at.ids) planning::check_at_least(verb, "positions", p, 0);
}

void check(const PlannedPositions& at, const DualChunk& rule) {
  planning::check_at_least("dual_chunk", "local_size", rule.local_size, 0);
  planning::check_at_least("dual_chunk", "chunk_size above local_size", rule.chunk_size,
                           planning::sum("dual_chunk", "local_size", rule.local_size, 1));
  planning::sum("dual_chunk", "chunk_size", rule.chunk_size, rule.chunk_size);
  check_text("dual_chunk", at);
}

void check_window(const char* verb, const PlannedPositions& at, int64_t window) {
  planning::check_at_least(verb, "window", window, 1);
  check_text(verb, at);
}

template <class F>
PlannedPositions each(PlannedPositions at, const F& f) {
  for (int64_t& p : at.ids) p = f(p);
  return at;
}

// Keys at f(position), queries `further` on.
template <class T, class F>
FarPlaces<T> further(const PlannedPositions& at, T further, const F& f) {
  FarPlaces<T> out{{at.axes, at.rows, at.tokens, {}}, {at.axes, at.rows, at.tokens, {}}};
  for (const int64_t p : at.ids)
    out.keys.ids.push_back(f(p)), out.queries.ids.push_back(out.keys.ids.back() + further);
  return out;
}

}  // namespace

ChunkPositions dual_chunk(const PlannedPositions& at, const DualChunk& rule) {
  check(at, rule);
  const int64_t size = rule.chunk_size, c = size - rule.local_size;
  ChunkPositions out;
  out.keys = out.intra = each(at, [&](int64_t p) { return p % c; });
  out.successor = each(at, [&](int64_t p) { return std::min(p % c + c, size); });
  out.inter = each(at, [&](int64_t) { return std::min(2 * c - 1, size); });
  out.successor_critical = each(at, [&](int64_t p) { return p % c + c; });
  out.inter_critical = each(at, [&](int64_t p) { return p % c + size; });
  return out;
}

FarPositions rerope(const PlannedPositions& at, int64_t window) {
  check_window("rerope", at, window);
  return further<int64_t>(at, window, [](int64_t) { return 0; });
}

FarCoordinates leaky_rerope(const PlannedPositions& at, int64_t window, double factor) {
  check_window("leaky_rerope", at, window);
  if (!(factor >= 1 && factor <= 0x1p53))
    fail("leaky_rerope", "expected factor from 1 to 2^53, got ", factor);
  const double w = static_cast<double>(window);
  return further<double>(at, w - w / factor,
                         [&](int64_t p) { return static_cast<double>(p) / factor; });
}

FarPositions self_extend(const PlannedPositions& at, int64_t window, int64_t group) {
  check_window("self_extend", at, window);
  planning::check_at_least("self_extend", "group", group, 1);
  for (const int64_t p : at.ids) planning::sum("self_extend", "positions", p, window);
  return further<int64_t>(at, window - window / group, [&](int64_t p) { return p / group; });
}

}  // namespace posenc
