// fire.cc: FIRE and its derivatives.
#include "posenc/relative/fire.h"

#include <cmath>
#include <memory>

#include "relative/mlp.h"

namespace posenc {
namespace {

// u and what it is made of.
struct Ratio {
  double c, mu, length, eps;

  double f(double x) const { return std::log1p(std::abs(c * x)); }
  double f_by_c(double x) const { return std::copysign(x, c) / (std::abs(c * x) + 1); }
  double farthest(double query) const { return std::max(query, std::abs(mu) * length); }
  double divisor(double query) const { return f(farthest(query)) + eps; }
  double u(double query, double key) const { return f(query - key) / divisor(query); }

  double u_by_c(double query, double key) const {
    return (f_by_c(query - key) - u(query, key) * f_by_c(farthest(query))) / divisor(query);
  }
  double u_by_mu(double query, double key) const {
    const double far = std::abs(mu) * length;
    if (query >= far) return 0;
    const double f_by_x = std::abs(c) / (std::abs(c) * far + 1);
    return -u(query, key) / divisor(query) * f_by_x * std::copysign(length, mu);
  }
};

}  // namespace

Fields Fire::fields() {
  using S = Fire;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"hidden", &S::hidden, "width of the hidden layer"},
          {"length", &S::length, "queries before mu times this are measured against it"},
          {"eps", &S::eps, "added to the divisor"}};
}

std::vector<Preset<Fire>> Fire::presets() { return {{"paper", "32 wide, length 512", {}}}; }

void Fire::check() const {
  check_size(name, "heads", heads);
  check_size(name, "hidden", hidden);
  check_positive(name, "length", length);
  check_positive(name, "eps", eps);
}

std::vector<Weight> Fire::weights() const {
  std::vector<Weight> out{{"c", {1}, 0.1, 0}, {"mu", {1}, 1, 0}};
  for (Weight& w : mlp_weights(1, hidden, 1, heads)) out.push_back(std::move(w));
  return out;
}

BiasFormula Fire::formula(const WeightValues& weights) const {
  const Ratio ratio{weights[0][0], weights[1][0], length, eps};
  const auto mlp = std::make_shared<const Mlp>(weights, 2, 1, Mlp::Activation::relu);
  BiasFormula out{Reads::both};
  out.bias = [mlp, ratio](HeadRange heads, double query, double key, double* to) {
    const double u = ratio.u(query, key);
    mlp->forward(heads, &u, to);
  };
  out.backward = [mlp, ratio](HeadRange heads, double query, double key, const double* g,
                              Gradients dw) {
    const double u = ratio.u(query, key);
    double du = 0;
    mlp->backward(heads, &u, g, dw, &du);
    dw[0][0] += du * ratio.u_by_c(query, key);
    dw[1][0] += du * ratio.u_by_mu(query, key);
  };
  return out;
}

}  // namespace posenc
