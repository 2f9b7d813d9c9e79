// forgetting.h: data-dependent decay, the gates of the Forgetting Transformer (Lin et al., 2025).
//
// Every key t has a log forget gate f_t <= 0 for each head. A query forgets a key by all gates
// between them:
//
//   before   f_j+1 + .. + f_i     key j at or before query i; 0 after it
//   after    f_i+1 + .. + f_j     key j after query i; 0 before it
//
// Keys are in the order of their positions; i is the last key at or before the query. For both
// directions add a term of each side, with gates of its own.
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

enum class ForgetSide : uint8_t { before, after };
constexpr auto enum_names(ForgetSide) {
  return std::to_array<std::string_view>({"before", "after"});
}

// What the gates tensor holds: log sigmoid(x), or x itself.
enum class ForgetGates : uint8_t { log, logits };
constexpr auto enum_names(ForgetGates) {
  return std::to_array<std::string_view>({"log", "logits"});
}

struct Forgetting {
  static constexpr std::string_view name = "forgetting";
  static constexpr std::string_view about = "scores fall by the forget gates between key and query";

  ForgetSide side = ForgetSide::before;
  ForgetGates gates = ForgetGates::log;
  double gate_scale = 1;
  static constexpr int64_t heads = 0;  // any number

  static constexpr auto fields() {
    using S = Forgetting;
    return std::tuple{
        Field{"side", &S::side, "keys that are forgotten: before the query or after it"},
        Field{"gates", &S::gates, "what the gates are given as: their logarithm or logits"},
        Field{"gate_scale", &S::gate_scale, "on the logarithm of every gate"}};
  }
  static std::vector<Preset<Forgetting>> presets() {
    return {{"fox", "the Forgetting Transformer", {}},
            {"x-transformers-reversed",
             "the second gates of x-transformers without a causal mask",
             {.side = ForgetSide::after}}};
  }

  void check() const { check_finite(name, "gate_scale", gate_scale); }
  std::vector<Weight> weights() const { return {}; }
  ContentReads reads() const { return {.gates = true}; }
};

}  // namespace posenc
