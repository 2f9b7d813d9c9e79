// kerple.h: kernels of the distance with learned numbers for each head (Chi et al., 2022).
//
//   log         -p ln(1 + a |r|)
//   power       -a |r|^p
//   log-power   -b ln(1 + a |r|^p)     NeMo
#pragma once

#include "posenc/relative/formula.h"

namespace POSENC_PUBLIC posenc {

enum class KerpleForm : uint8_t { log, power, log_power };
constexpr auto enum_names(KerpleForm) {
  return std::to_array<std::string_view>({"log", "power", "log-power"});
}

struct Kerple {
  static constexpr std::string_view name = "kerple";
  static constexpr std::string_view about = "scores fall with a learned kernel of the distance";

  int64_t heads = 8;
  KerpleForm form = KerpleForm::log;
  bool clamp = true;

  static constexpr auto fields() {
    using S = Kerple;
    return std::tuple{Field{"heads", &S::heads, "heads of the whole model"},
                      Field{"form", &S::form, "the kernel"},
                      Field{"clamp", &S::clamp,
                            "read weights as at least 0.01, and the power as at most 2; their "
                            "gradient is that at the number read"}};
  }
  static std::vector<Preset<Kerple>> presets() {
    return {{"log", "the paper's best", {}},
            {"power", "the paper's other one", {.form = KerpleForm::power}},
            {"nemo", "NeMo", {.form = KerpleForm::log_power, .clamp = false}}};
  }

  void check() const { check_size(name, "heads", heads); }
  std::vector<Weight> weights() const;  // in the order they stand in the formula, [heads] each
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
