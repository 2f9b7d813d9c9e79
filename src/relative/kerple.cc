// kerple.cc: the three kernels as one, and their derivatives.
#include "posenc/relative/kerple.h"

#include "relative/formula.h"

namespace posenc {
namespace {

// Where the factor outside the logarithm, a and p of all heads lie among the weights.
forms::Kernel kernel_of(const Kerple& s) {
  const int64_t n = s.heads;
  if (s.form == KerpleForm::log) return {0, n, -1, true, s.clamp};
  return s.form == KerpleForm::power ? forms::Kernel{-1, 0, n, false, s.clamp}
                                     : forms::Kernel{0, n, 2 * n, true, s.clamp};
}

// Those of all heads from `first` on.
std::span<const double> part(const WeightValues& weights, int64_t first, int64_t heads) {
  if (first < 0) return {};
  return std::span(weights).subspan(static_cast<size_t>(first), static_cast<size_t>(heads));
}

void check_weight(std::span<const double> values, const char* what) {
  for (const double v : values)
    if (!(v >= 0)) fail(Kerple::name, "expected ", what, " of at least 0, got ", v);
}

}  // namespace

Fields Kerple::fields() {
  using S = Kerple;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"form", &S::form, "the kernel"},
          {"clamp", &S::clamp,
           "read weights as at least 0.01, and the power as at most 2; their "
           "gradient is that at the number read"}};
}

std::vector<Preset<Kerple>> Kerple::presets() {
  return {{"log", "Chi et al. 2022: the best of them", {}},
          {"power", "Chi et al. 2022: the other one", {.form = KerpleForm::power}},
          {"nemo", "NeMo", {.form = KerpleForm::log_power, .clamp = false}}};
}

void Kerple::check() const { check_size(name, "heads", heads); }

std::vector<Weight> Kerple::weights() const {
  const Weight a{"a", {heads}, 0.5, 0.25}, p{"p", {heads}, 1, 0.5}, one{"a", {heads}, 1, 0};
  if (form == KerpleForm::log) return {p, a};
  if (form == KerpleForm::power) return {a, p};
  return {{"b", {heads}, 0.25, 0}, one, {"p", {heads}, 1, 0}};
}

BiasFormula Kerple::formula(const WeightValues& weights) const {
  const forms::Kernel kernel = kernel_of(*this);
  WeightValues block = weights;
  for (size_t n = 0; n < block.size(); ++n)
    block[n] = kernel.taken(static_cast<int64_t>(n), block[n]);
  check_weight(part(block, kernel.a, heads), "a");
  check_weight(part(block, kernel.p, heads), "p");
  return {Reads::distance, false, kernel, std::move(block)};
}

}  // namespace posenc
