// waves.cc: columns as a scheme lists them, turned into the arrays the kernels read.
#include "frequencies/waves.h"

#include "base/batch.h"
#include "base/cuda_state.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "frequencies/sines.h"

namespace posenc {

Wave sine(const Frequency& f, double amplitude) {
  return {.kind = Wave::Kind::sine, .frequency = {f}, .amplitude = amplitude};
}

Wave cosine(const Frequency& f, double amplitude) {
  return {
      .kind = Wave::Kind::sine, .frequency = {f}, .phase = quarter_turn, .amplitude = amplitude};
}

Wave sine_of_axis(int64_t axis, int64_t axes, const Frequency& f, Turn phase) {
  Wave wave{.kind = Wave::Kind::sine, .phase = phase};
  wave.frequency.resize(static_cast<size_t>(axes));
  wave.frequency[static_cast<size_t>(axis)] = f;
  return wave;
}

Wave line_of_axis(int64_t axis, int64_t axes) {
  Wave wave{.kind = Wave::Kind::line};
  wave.slope.resize(static_cast<size_t>(axes));
  wave.slope[static_cast<size_t>(axis)] = 1;
  return wave;
}

namespace {

// A weight of another device, from its first element in memory to its last, on the host: `memory`
// holds them, and the tensor views them as the weight is viewed.
Tensor on_host(Tensor weight, std::vector<char>& memory) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < weight.rank; ++i) {
    const int64_t reach = (weight.size(i) - 1) * weight.step(i);
    (reach < 0 ? low : high) += reach;
  }
  const int64_t size = size_of(weight.dtype);
  weight.data = static_cast<char*>(weight.data) + low * size;
  memory.resize(static_cast<size_t>((high - low + 1) * size));
  cuda::copy_to_host(weight, memory.data(), memory.size());
  weight.data = memory.data() - low * size;
  return weight;
}

}  // namespace

std::vector<double> values(const Tensor& weight) {
  std::vector<double> out(static_cast<size_t>(weight.elements()));
  if (out.empty()) return out;
  std::vector<char> memory;
  const Tensor from = weight.device == Device::cpu ? weight : on_host(weight, memory);
  dispatch(from.dtype, [&]<class T>() {
    for (size_t n = 0; n < out.size(); ++n)
      out[n] =
          as_double(static_cast<const T*>(from.data)[offset_of(from, static_cast<int64_t>(n))]);
  });
  return out;
}

namespace {

// cos and sin of the angle every column turns in `steps` positions.
void fill_turn(const Waves& w, int64_t steps, std::vector<double>& cosine,
               std::vector<double>& sine) {
  const auto n = static_cast<size_t>(w.padded);
  std::vector<Turn> angle(n);
  for (size_t i = 0; i < w.hi.size(); ++i)
    angle[i % n] += phase(Frequency{0, w.hi[i], w.lo[i]}, steps);
  sine.resize(n), cosine.resize(n);
  cpu::sines(angle.data(), sine.data(), n);
  for (Turn& a : angle) a += quarter_turn;
  cpu::sines(angle.data(), cosine.data(), n);
}

}  // namespace

Waves make_waves(std::vector<Wave> columns, int64_t axes, double shift, bool f32_product) {
  Waves w;
  w.dim = std::ssize(columns), w.axes = axes, w.f32_product = f32_product;
  // Kernels read whole paddings from any column on, also from the last.
  w.padded = (w.dim + 2 * column_padding - 2) / column_padding * column_padding;
  const auto padded = static_cast<size_t>(w.padded), all = padded * static_cast<size_t>(axes);
  w.hi.resize(all), w.lo.resize(all), w.turns.resize(all);
  w.phase.resize(padded), w.amplitude.resize(padded), w.radians32.resize(all);
  const WholeAndPart parts = split(shift);
  w.shift_whole = parts.whole, w.shift_part = parts.part;
  for (size_t c = 0; c < columns.size(); ++c) {
    const Wave& wave = columns[c];
    if (wave.kind == Wave::Kind::line) w.lines.push_back(static_cast<int64_t>(c));
    if (wave.kind != Wave::Kind::sine) continue;
    w.phase[c] = wave.phase, w.amplitude[c] = wave.amplitude;
    for (size_t a = 0; a < wave.frequency.size(); ++a) {
      const Frequency& f = wave.frequency[a];
      w.hi[a * padded + c] = f.hi, w.lo[a * padded + c] = f.lo;
      w.turns[a * padded + c] = static_cast<uint64_t>(f.turns);
      w.radians32[a * padded + c] = f32_product ? static_cast<float>(radians(f)) : 0.0F;
    }
  }
  w.steady = w.lines.empty() && !f32_product;
  if (w.steady) {
    fill_turn(w, 1, w.cos_step, w.sin_step);
    fill_turn(w, block_rows, w.cos_block, w.sin_block);
  }
  w.columns = std::move(columns);
  return w;
}

}  // namespace posenc
