// turned.cc: what rules of encoders that turn along several axes are made with.
#include "model/families/turned.h"

namespace posenc::model {

Rope on_grid(int64_t dim, double base, Layout layout) {
  Rope out{.dim = dim, .layout = layout, .base = base};
  const int64_t pairs = dim / 4;  // of each axis
  const auto quarter = static_cast<double>(pairs);
  out.axes = Restart{{quarter, quarter}};
  return out;
}

Rope taking_turns(int64_t dim, double base, Layout layout) {
  Rope out = on_grid(dim, base, layout);
  out.axes = InTurn{std::get<Restart>(out.axes).sections};
  return out;
}

Component turned(const Rope& rope, Facts more, std::string positions) {
  Component out{"", "rope-2d", {}};
  out.facts = {{"layout", std::string(enum_name(*rope.layout))},
               {"head_dim", rope.dim},
               {"base", rope.base},
               {"per_axis_freqs", rope.dim / 4}};
  if (rope.blocks == 2) out.facts[0].second = "half inside each axis block";
  out.facts.insert(out.facts.end(), more.begin(), more.end());
  out.positions = std::move(positions);
  return with_scheme(out, rope);
}

std::string by_blocks(bool merged) { return merged ? ", block by block of merged patches" : ""; }

void tell_axes(const Reading& reading, std::string_view first, std::string_view second) {
  reading.trap("the first half of the pairs turns by the " + std::string(first) +
               ", the second by the " + std::string(second) +
               ": swapped axes go unnoticed on square pictures");
}

}  // namespace posenc::model
