// check.h: tests the claimed properties of positional encodings on the numbers of a scheme.
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
  double measured = 0, bound = 0;  // the measured value, and the bound it is compared with
};

struct CheckOptions {
  std::span<const Tensor> weights{};  // one tensor for each of the scheme's weights()
  int64_t tokens = 512;               // number of positions tested, 2 to 4096
  int64_t length = 0;                 // length of the text in tokens, for length rules; 0: tokens
};
// The results of `posenc check` for absolute and rotary schemes and biases; an Error for others.
std::vector<Property> check(const Scheme& scheme, const CheckOptions& options = {});

// The results as a JSON object: `posenc check --json` prints it, and how the weights start.
std::string check_json(const Scheme& scheme, const std::vector<Property>& found);

}  // namespace model
}  // namespace posenc
