// formula.cc: biases and their derivatives along some keys, on the CPU.
#include "relative/formula.h"

#include "base/scratch.h"

namespace posenc {

void BiasFormula::biases(HeadRange heads, const double* query, std::span<const double> keys,
                         double* out) const {
  visit(block.data(), [&]<class Form>(const Form& reading) {
    Scratch<double> work(workspace_of(reading));
    for (size_t k = 0; k < keys.size(); k += forms::axes_of<Form>) {
      const auto inputs = forms::inputs_of_points(reading, query, &keys[k], work.data());
      for (int64_t i = 0; i < heads.count; ++i) *out++ = reading.bias(heads.first + i, inputs);
    }
  });
}

void BiasFormula::backward(HeadRange heads, const double* query, std::span<const double> keys,
                           const double* g, double* dweights) const {
  const auto add = [dweights](int64_t n, double value) { dweights[n] += value; };
  visit(block.data(), [&]<class Form>(const Form& reading) {
    Scratch<double> work(workspace_of(reading));
    for (size_t k = 0; k < keys.size(); k += forms::axes_of<Form>) {
      const auto inputs = forms::inputs_of_points(reading, query, &keys[k], work.data());
      reading.backward(heads, inputs, g, add);
      g += heads.count;
    }
  });
}

}  // namespace posenc
