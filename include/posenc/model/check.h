// check.h: what is claimed of positional encodings, checked on the numbers of a scheme.
//
//   for (const auto& p : posenc::model::check(posenc::Sinusoidal{.dim = 64}))
//     std::cout << p.claim << ": " << posenc::enum_name(p.verdict) << "; " << p.evidence << "\n";
#pragma once

#include "posenc/scheme.h"

namespace posenc {
namespace POSENC_PUBLIC model {

enum class Verdict : uint8_t { holds, fails, not_applicable };
constexpr auto enum_names(Verdict) { return names({"holds", "fails", "not-applicable"}); }

struct Property {
  std::string name{};      // short and stable: "unique-rows"
  std::string claim{};     // "no two positions have the same row"
  std::string evidence{};  // the numbers, or why the claim does not apply
  Verdict verdict = Verdict::not_applicable;
  double measured = 0, bound = 0;  // the number behind the verdict, and what it is held against
};

struct CheckOptions {
  std::span<const Tensor> weights{};  // one tensor for each of the scheme's weights()
  int64_t tokens = 512;               // how many positions are looked at, 2 to 4096
  int64_t length = 0;                 // tokens of the text, for length rules that ask for it
};
// What `posenc check` tells of an absolute scheme, a rotary one or a bias; an Error for another.
std::vector<Property> check(const Scheme& scheme, const CheckOptions& options = {});

}  // namespace model
}  // namespace posenc
