// bias_block.cu: the numbers that a form reads, gathered from weights that stay on the device.
#include "cuda/bias.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 128;

__device__ inline int64_t thread_number() {
  return blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
}

__global__ void copy(const double* from, double* to, int64_t count) {
  const int64_t n = thread_number();
  if (n < count) to[n] = from[n];
}

template <class Form>
inline constexpr bool takes_otherwise = requires(const Form& f) {
  f.taken(int64_t{}, 0.0);
};

// block[first + n] = entry n of a weight, as the form reads it.
template <class Form>
__global__ void gather(const __grid_constant__ View weight, int64_t first,
                       const __grid_constant__ Form form, double* block) {
  const int64_t n = thread_number();
  if (n >= weight.rows) return;
  double value = read_as<double>(weight.dtype, weight.data, weight.offset(n));
  if constexpr (takes_otherwise<Form>) value = form.taken(first + n, value);
  block[first + n] = value;
}

// What a network makes of every entry.
__global__ void make_outputs(const __grid_constant__ forms::OffsetNetwork form, int64_t count,
                             double* block) {
  const int64_t n = thread_number();
  if (n >= count) return;
  const Divided at = divided(n, form.network.last.out);
  block[form.outputs + n] = form.make(at.rest, at.quotient);
}

}  // namespace

const double* gather_block(const DeviceStream& stream, const BiasFormula& formula,
                           const double* kept) {
  const int64_t numbers = std::ssize(formula.block);
  auto* block = static_cast<double*>(stream.take(formula.block.size() * sizeof(double)));
  launch(stream, "numbers of a bias", shape_of(numbers, threads), copy, kept, block, numbers);
  formula.visit(block, [&]<class Form>(const Form& form) {
    int64_t first = 0;
    for (const Tensor& w : formula.device_weights) {
      launch(stream, "weights of a bias", shape_of(w.elements(), threads), gather<Form>, View(w, 0),
             first, form, block);
      first += w.elements();
    }
    if constexpr (std::is_same_v<Form, forms::OffsetNetwork>) {
      const int64_t count = std::ssize(formula.block) - form.outputs;
      launch(stream, "biases of a window", shape_of(count, threads), make_outputs, form, count,
             block);
    }
  });
  return block;
}

}  // namespace posenc::cuda
