// formula.cc: biases and their derivatives along some keys, on the CPU.
#include "relative/formula.h"

#include "base/scratch.h"

namespace posenc {

void BiasFormula::biases(HeadRange heads, double query, std::span<const double> keys,
                         double* out) const {
  visit(block.data(), [&](const auto& reading) {
    Scratch<double> work(workspace_of(reading));
    for (const double key : keys) {
      const auto place = reading.at(query, key, work.data());
      for (int64_t i = 0; i < heads.count; ++i) *out++ = reading.bias(heads.first + i, place);
    }
  });
}

void BiasFormula::backward(HeadRange heads, double query, std::span<const double> keys,
                           const double* g, double* dweights) const {
  const auto add = [dweights](int64_t n, double value) { dweights[n] += value; };
  visit(block.data(), [&](const auto& reading) {
    Scratch<double> work(workspace_of(reading));
    for (const double key : keys) {
      reading.backward(heads, reading.at(query, key, work.data()), g, add);
      g += heads.count;
    }
  });
}

}  // namespace posenc
