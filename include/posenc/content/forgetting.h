// forgetting.h: data-dependent decay, the Forgetting Transformer's forget gates (Lin et al., 2025).
//
// Every key t has a log forget gate f_t <= 0 for each head. The term for a query and a key is the
// sum of the gates between them:
//
//   before   f_j+1 + .. + f_i     key j at or before query i; 0 after it
//   after    f_i+1 + .. + f_j     key j after query i; 0 before it
//
// Keys are in the order of their positions; i is the last key at or before the query. For both
// directions, add one term for each side, each with its own gates.
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

enum class ForgetSide : uint8_t { before, after };
constexpr auto enum_names(ForgetSide) { return names({"before", "after"}); }

// The contents of the gates tensor: log sigmoid(x), or x itself.
enum class ForgetGates : uint8_t { log, logits };
constexpr auto enum_names(ForgetGates) { return names({"log", "logits"}); }

struct Forgetting {
  static constexpr std::string_view name = "forgetting";
  static constexpr std::string_view about = "scores fall by the forget gates between key and query";
  static constexpr std::string_view used_by =
      "Forgetting Transformer (Lin et al. 2025), x-transformers";

  ForgetSide side = ForgetSide::before;
  ForgetGates gates = ForgetGates::log;
  double gate_scale = 1;
  static constexpr int64_t heads = 0;  // any number

  static Fields fields();
  static std::vector<Preset<Forgetting>> presets();
  void check() const;
  std::vector<Weight> weights() const { return {}; }
  ContentReads reads() const { return {.gates = true}; }
  TermFormula formula(const WeightLists&) const;
};

}  // namespace posenc
