// kerple.h: kernels of the distance with learned parameters for each head (Chi et al., 2022).
//
//   log         -p ln(1 + a |r|)
//   power       -a |r|^p
//   log-power   -b ln(1 + a |r|^p)     NeMo
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

enum class KerpleForm : uint8_t { log, power, log_power };
constexpr auto enum_names(KerpleForm) { return names({"log", "power", "log-power"}); }

struct Kerple {
  static constexpr std::string_view name = "kerple";
  static constexpr std::string_view about = "scores fall with a learned kernel of the distance";
  static constexpr std::string_view used_by = "KERPLE (Chi et al. 2022), NeMo";

  int64_t heads = 8;
  KerpleForm form = KerpleForm::log;
  bool clamp = true;

  static Fields fields();
  static std::vector<Preset<Kerple>> presets();
  void check() const;
  std::vector<Weight> weights() const;  // in the order of the formula, [heads] each
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
