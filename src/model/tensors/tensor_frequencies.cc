// tensor_frequencies.cc: frequencies of a rotation that a file keeps, and what they say.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/tensors/tensor_rules.h"

namespace posenc::model {
namespace {

constexpr int64_t most_pairs = 4096;

// The base of which the frequencies are powers, from the last, where a rounding weighs least.
double base_of(const std::vector<double>& f) {
  const auto n = static_cast<double>(f.size());
  return std::pow(f.back(), -n / (n - 1));
}

bool are_powers(const std::vector<double>& f, double base, double error) {
  for (size_t i = 0; i < f.size(); ++i) {
    const double wanted = std::pow(base, -static_cast<double>(i) / static_cast<double>(f.size()));
    if (!(std::abs(f[i] - wanted) <= error * wanted)) return false;
  }
  return true;
}

// Whole where it is but for the rounding.
double rounded(double base, double error) {
  const double whole = std::round(base);
  return std::abs(base - whole) <= error * base ? whole : base;
}

}  // namespace

std::optional<Component> read_frequencies(const TensorGroup& group) {
  const auto& shape = group.shape();
  if (shape.size() != 1 || shape[0] < 1) return {};
  const auto f = group.files.numbers(group.first(), most_pairs);
  if (!std::all_of(f.begin(), f.end(), [](double x) { return x >= 0 && std::isfinite(x); }))
    fail(ErrorKind::data, "read", "expected frequencies of 0 and more in tensor ",
         files::in_quotes(group.first().stored.name), ", got others");
  const bool wide = group.first().stored.dtype == "F32" || group.first().stored.dtype == "F64";
  const double error = wide ? 1e-5 : 1e-2;
  Component out{group.where, "rope", {}};
  out.facts = {{"rotary_dim", 2 * shape[0]}};
  if (f.size() > 1 && f.back() > 0 && are_powers(f, base_of(f), error)) {
    out.facts.emplace_back("base", rounded(base_of(f), error));
    out.facts.emplace_back("scaling.type", "default");
  }
  out.facts.emplace_back("frequencies", f);
  out.facts.emplace_back("weight", group.weight());
  out.positions = "from 0";
  group.trap(
      "the layout, which features form a pair, and the size of a head are not stored with the "
      "frequencies: config.json decides");
  return out;
}

}  // namespace posenc::model
