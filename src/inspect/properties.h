// properties.h: what is claimed of positional encodings, shown on the numbers of a scheme.
//
//   for (const posenc::Property& p : posenc::check_properties(posenc::Sinusoidal{.dim = 64}))
//     std::cout << p.name << ": " << enum_name(p.verdict) << "; " << p.evidence << "\n";
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "posenc/absolute.h"

namespace posenc {

enum class Verdict : uint8_t { holds, fails, not_applicable };
constexpr auto enum_names(Verdict) {
  return std::to_array<std::string_view>({"holds", "fails", "not-applicable"});
}

struct Property {
  std::string name{};      // short and stable: "unique-rows"
  std::string claim{};     // "no two positions have the same row"
  std::string evidence{};  // the numbers, or why the claim does not apply
  Verdict verdict = Verdict::not_applicable;
  double measured = 0, bound = 0;  // the number behind the verdict, and what it is held against
};

// Looks at `rows` rows (2 to 4096) at positions 0, 1, 2, ..., or, for schemes of coordinates, as
// many points across [0, 1] on the first axis. weights: one tensor for each of the scheme's
// weights(), as for prepare().
std::vector<Property> check_properties(const Absolute& scheme, std::span<const Tensor> weights = {},
                                       int64_t rows = 512);

}  // namespace posenc
