// identify.cc: from a tensor to a verdict.
#include "posenc/model/identify.h"

#include <cstdlib>

#include "base/check.h"
#include "kinds.h"
#include "measure.h"

namespace posenc {
namespace inspect {
namespace {

// Without axes of size 1, and without axes along which nothing changes.
Tensor squeezed(const Tensor& t) {
  Tensor out = t;
  out.rank = 0;
  for (int i = 0; i < t.rank; ++i) {
    const auto to = static_cast<size_t>(out.rank);
    if (t.size(i) == 1 || (t.step(i) == 0 && i + 2 < t.rank)) continue;
    out.shape[to] = t.size(i), out.stride[to] = t.step(i), ++out.rank;
  }
  return out;
}

// A rotary table whose frequencies are powers may be a sinusoidal one as well. It is one where that
// takes no mistake and rotary would take an odd base.
Match with_sinusoidal(RotaryMatch found, const Tensor& t) {
  auto& [rotary, rope] = found;
  const bool odd = std::holds_alternative<Ntk>(rope.scaling) ||
                   std::holds_alternative<ListedFrequencies>(rope.frequencies);
  const bool powers = odd || std::holds_alternative<NoScaling>(rope.scaling);
  Match other = t.rank == 2 && powers ? identify_sinusoidal(t) : Match{};
  if (other.match.empty()) return rotary;
  const auto& mistake = other.mistake;
  if (mistake.empty() || mistake == "off-by-one-position" || mistake == "position-offset") {
    if (odd || rounded_to_digits(rope.base, 3) != rope.base) {
      other.also.emplace_back("rope with another base");
      return other;
    }
    rotary.also.push_back(other.match);
    rotary.also.insert(rotary.also.end(), other.also.begin(), other.also.end());
  } else {
    rotary.also.push_back(other.match + " with " + mistake);
  }
  rotary.scheme = other.scheme;
  return rotary;
}

Match identify_any(const Tensor& t) {
  const Tensor lean = squeezed(t);
  if (t.rank == 1) return identify_vector(t);
  if (lean.rank == 1)
    if (const Match m = identify_vector(lean); !m.match.empty()) return m;
  if (lean.rank > 1) {
    if (auto m = identify_rotary(lean)) return with_sinusoidal(std::move(*m), lean);
    if (const auto m = identify_biases(lean)) return *m;
  }
  if (lean.rank == 2) {
    if (const auto m = identify_normalized(lean)) return *m;
    if (const auto m = identify_grid(lean)) return *m;
  }
  return identify_sinusoidal(t);
}

}  // namespace
}  // namespace inspect

model::Match model::identify(const Tensor& t) {
  if (t.rank < 1 || t.rank > max_rank || !is_float(t.dtype))
    fail("identify", "expected table as f32, f64, f16 or bf16 with at least one axis, got ",
         describe(t));
  check_memory("identify", "table", t);
  if (t.elements() == 0) fail("identify", "expected a table with elements, got ", describe(t));
  return inspect::identify_any(t);
}

}  // namespace posenc
