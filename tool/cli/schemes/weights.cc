// weights.cc: weights from files or from their initial distribution.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "base/bits.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "cli/console.h"
#include "cli/memory.h"
#include "cli/schemes/rows.h"

namespace posenc::cli {
namespace {

// Normal numbers by Box and Muller; unlike std::normal_distribution the same everywhere.
class Normal {
 public:
  explicit Normal(int64_t seed) : bits_(static_cast<uint64_t>(seed)) {}
  double operator()() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return (static_cast<double>(bits_() >> 11) + 1) * 0x1p-53; }  // (0, 1]
  std::mt19937_64 bits_;
};

Array initial(const Weight& weight, Normal& normal) {
  int64_t count = 1;
  for (const int64_t size : weight.shape)
    if (__builtin_mul_overflow(count, size, &count)) count = INT64_MAX;
  check_fits("weights", count, 1, sizeof(float));
  Array out = make_array(DType::f32, weight.shape);
  for (float& value : out.values<float>())
    value =
        static_cast<float>(weight.mean + (weight.deviation != 0 ? weight.deviation * normal() : 0));
  return out;
}

std::vector<Array> initial_weights(const std::vector<Weight>& wanted, int64_t seed) {
  Normal normal(seed);
  std::vector<Array> out;
  for (const Weight& weight : wanted) out.push_back(initial(weight, normal));
  return out;
}

// By name; a scheme with one weight takes the only array of a file whatever its name.
std::vector<Array> weights_from(const std::string& path, const std::vector<Weight>& wanted) {
  NamedArrays arrays = read_arrays(path);
  std::vector<std::string> names;
  for (const auto& entry : arrays) names.push_back(entry.first);
  const bool only = wanted.size() == 1 && arrays.size() == 1;
  std::vector<Array> out;
  for (const Weight& weight : wanted) {
    const auto at = std::find(names.begin(), names.end(), weight.name);
    if (at == names.end() && !only)
      fail("weights", path, ": expected a tensor called '", weight.name, "', got none",
           suggestion(weight.name, names));
    out.push_back(std::move(arrays[only ? 0 : static_cast<size_t>(at - names.begin())].second));
    check_finite_numbers(path + ": weight '" + weight.name + "'", out.back());
  }
  return out;
}

// One tensor of several; what some models store as a grid, or under axes of one, is rows.
std::vector<Array> tensor_from(const RowsOptions& options, const std::vector<Weight>& wanted) {
  if (wanted.size() != 1)
    refuse("expected a scheme with one weight for --weights_tensor, got ", wanted.size());
  Array out = read_array(options.weights, options.weights_tensor);
  while (out.shape.size() > wanted[0].shape.size()) {
    out.shape[1] *= out.shape[0];
    out.shape.erase(out.shape.begin());
  }
  check_finite_numbers(options.weights + ": weight '" + options.weights_tensor + "'", out);
  return {std::move(out)};
}

}  // namespace

void check_finite_numbers(const std::string& whose, const Array& array) {
  if (!is_float(array.dtype)) return;
  dispatch(array.dtype, [&]<class T>() {
    const auto* values = reinterpret_cast<const T*>(array.bytes.data());
    for (size_t i = 0; i < array.bytes.size() / sizeof(T); ++i)
      if (!is_finite(as_double(values[i])))
        fail("values", whose, ": expected finite numbers, got ", as_double(values[i]),
             " as number ", i, " of ", describe(array.view()));
  });
}

std::vector<double> as_doubles(const Array& array) { return values(array.view()); }

std::vector<Array> read_weights(const Scheme& scheme, const RowsOptions& options) {
  const auto wanted = posenc::weights(scheme);
  if (wanted.empty() && !options.weights.empty())
    refuse("expected no --weights, because nothing is learned here, got ", options.weights);
  if (options.seed && (!starts_at_random(scheme) || !options.weights.empty()))
    refuse("expected no --seed, because no weight is random here, got ", *options.seed);
  if (options.weights.empty()) {
    if (!options.weights_tensor.empty())
      refuse("expected --weights with --weights_tensor, got none");
    return initial_weights(wanted, options.seed.value_or(0));
  }
  return options.weights_tensor.empty() ? weights_from(options.weights, wanted)
                                        : tensor_from(options, wanted);
}

}  // namespace posenc::cli
