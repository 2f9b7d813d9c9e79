// kerple.cc: the three kernels as one, and their derivatives.
#include "posenc/relative/kerple.h"

#include <algorithm>
#include <cmath>

#include "relative/formula.h"

namespace posenc {
namespace {

// Which weight is the factor outside the logarithm, a, and p; -1: it is 1.
struct Roles {
  int factor, a, p;
};
constexpr Roles roles_of(KerpleForm form) {
  if (form == KerpleForm::log) return {0, 1, -1};
  return form == KerpleForm::power ? Roles{-1, 0, 1} : Roles{0, 1, 2};
}

double read(const WeightValues& w, int role, int64_t head) {
  return role < 0 ? 1 : w[static_cast<size_t>(role)][static_cast<size_t>(head)];
}
void add(Gradients dw, int role, int64_t head, double g) {
  if (role >= 0) dw[static_cast<size_t>(role)][static_cast<size_t>(head)] += g;
}

void check_weight(const WeightValues& w, int role, const char* what) {
  if (role < 0) return;
  for (const double v : w[static_cast<size_t>(role)])
    if (!(v >= 0)) fail(Kerple::name, "expected ", what, " of at least 0, got ", v);
}

WeightValues clamped(WeightValues w, Roles roles, KerpleForm form) {
  for (size_t i = 0; i < w.size(); ++i)
    for (double& v : w[i])
      v = std::clamp(v, 0.01,
                     form != KerpleForm::log && static_cast<int>(i) == roles.p ? 2.0 : HUGE_VAL);
  return w;
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
  return {{"log", "the paper's best", {}},
          {"power", "the paper's other one", {.form = KerpleForm::power}},
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
  const Roles roles = roles_of(form);
  const WeightValues w = clamp ? clamped(weights, roles, form) : weights;
  check_weight(w, roles.a, "a");
  check_weight(w, roles.p, "p");
  const bool log = form != KerpleForm::power;
  BiasFormula out{};
  out.bias = each_head([w, roles, log](int64_t head, double query, double key) {
    const double r = std::pow(std::abs(key - query), read(w, roles.p, head));
    const double x = read(w, roles.a, head) * r;
    return log ? -read(w, roles.factor, head) * std::log1p(x) : -x;
  });
  out.backward = each_head_backward(
      [w, roles, log](int64_t head, double query, double key, double g, Gradients dw) {
        const double distance = std::abs(key - query), a = read(w, roles.a, head);
        const double r = std::pow(distance, read(w, roles.p, head)), x = a * r;
        const double by_x = log ? -read(w, roles.factor, head) / (1 + x) : -1;
        add(dw, roles.factor, head, -g * std::log1p(x));
        add(dw, roles.a, head, g * by_x * r);
        add(dw, roles.p, head, distance > 0 ? g * by_x * x * std::log(distance) : 0);
      });
  return out;
}

}  // namespace posenc
