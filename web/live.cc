// live.cc: what the page computes by the library's verbs where the tool has no command: terms that
// read queries, keys or gates, and convolutions. Arrays come in /in.safetensors and go to
// /array.npy; a function returns "" or the sentence of its Error.
#include <cmath>
#include <cstring>
#include <exception>
#include <variant>

#include "model/array.h"
#include "posenc/convolution.h"
#include "posenc/posenc.h"

namespace {

using namespace posenc;

constexpr char input[] = "/in.safetensors", output[] = "/array.npy";
constexpr double visible = 0.3;  // deviation of weights that training starts from zeros

// Numbers between -1 and 1 that look like features, the same every time; those of turn.js.
class Features {
 public:
  double operator()() {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ * 0x1p-31 - 1;
  }

 private:
  uint32_t state_ = 17;
};

// Weights with the mean and the deviation that training starts from.
std::vector<Array> made_up(const std::vector<Weight>& wanted) {
  Features features;
  std::vector<Array> out;
  for (const Weight& weight : wanted) {
    const bool zeros = weight.mean == 0 && weight.deviation == 0;
    const double spread = (zeros ? visible : weight.deviation) * std::sqrt(3.0);
    out.push_back(make_array(DType::f32, weight.shape));
    for (float& value : out.back().values<float>())
      value = static_cast<float>(weight.mean + spread * features());
  }
  return out;
}

std::vector<Tensor> views_of(const std::vector<Array>& arrays) {
  std::vector<Tensor> out;
  for (const Array& array : arrays) out.push_back(array.view());
  return out;
}

// The array of that name; of rank 0 where there is none.
Tensor called(const NamedArrays& arrays, std::string_view name) {
  for (const auto& [known, array] : arrays)
    if (known == name) return array.view();
  return {};
}

template <class F>
const char* guarded(const F& f) {
  static std::string sentence;
  try {
    f();
    sentence.clear();
  } catch (const std::exception& error) {
    sentence = error.what();
  }
  return sentence.c_str();
}

}  // namespace

extern "C" {

// scores [heads, queries, keys] with the term of the scheme; beside them q, k, gates, and the
// positions queries and keys.
const char* page_add(const char* name, const char* options, int causal) {
  return guarded([&] {
    const NamedArrays in = read_arrays(input);
    const Scheme scheme = scheme_from_json(name, options);
    const std::vector<Array> weights = made_up(posenc::weights(scheme));
    const Plan plan = prepare(scheme, {.weights = views_of(weights)});
    const Tensor scores = called(in, "scores");
    add(std::get<ContentPlan>(plan), {called(in, "q"), called(in, "k"), called(in, "gates")},
        scores,
        {.queries = positions(called(in, "queries")),
         .keys = positions(called(in, "keys")),
         .causal = causal != 0});
    Array out = make_array(DType::f32, {scores.size(0), scores.size(1), scores.size(2)});
    std::memcpy(out.bytes.data(), scores.data, out.bytes.size());
    write_arrays(output, {{"", std::move(out)}});
  });
}

// What a convolution adds to x [tokens, dim]. height, width: of a grid, or 0.
const char* page_convolve(const char* name, const char* options, int height, int width) {
  return guarded([&] {
    const NamedArrays in = read_arrays(input);
    const Convolution scheme = convolution_from_json(name, options);
    const std::vector<Array> weights = made_up(scheme.weights());
    const ConvolutionPlan plan = prepare(scheme, {.weights = views_of(weights)});
    const Tensor x = called(in, "x");
    Array out = make_array(DType::f32, {x.size(0), x.size(1)});
    convolve(plan, x, out.view(), {.height = height, .width = width, .add_input = false});
    write_arrays(output, {{"", std::move(out)}});
  });
}
}
