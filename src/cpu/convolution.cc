// convolution.cc: grouped convolutions of dense rows, as products of matrices.
//
// The columns of a group are copied with zeros around them. What a token's kernel covers of a row
// of the grid then lies side by side, kernel x inputs numbers, and those of the next token begin
// `inputs` numbers later: a matrix that nobody has to build.
#include "cpu/convolution.h"

#include "base/parallel.h"
#include "cpu/kernels/products.h"

namespace posenc::cpu {
namespace {

// Some columns of one row of the batch.
struct ColumnBlock {
  int64_t row, first, count;
  ColumnBlock(const Window& w, int64_t row_number, int64_t number)
      : row(row_number), first(number * w.block()), count(std::min(w.block(), w.dim - first)) {}
};

// Those columns with zeros around, [padded height, padded width, count]. The kernel begins half of
// it before a token, or turned, so much that it ends there.
template <class C>
Scratch<C> padded(const Window& w, const ColumnBlock& b, const C* in, bool turned) {
  Scratch<C> out(w.padded_area() * b.count, C{0});
  const int64_t up = turned ? w.kernel_y - 1 - w.kernel_y / 2 : w.kernel_y / 2;
  const int64_t left = turned ? w.kernel_x - 1 - w.kernel_x / 2 : w.kernel_x / 2;
  for (int64_t y = 0; y < w.height; ++y)
    for (int64_t x = 0; x < w.width; ++x)
      std::copy_n(in + ((b.row * w.height + y) * w.width + x) * w.dim + b.first, b.count,
                  out.data() + ((y + up) * w.padded_width() + x + left) * b.count);
  return out;
}

// Calls f(row of the grid, tap's row, where what it covers begins) for all of them.
template <class F>
void for_each_line(const Window& w, int64_t count, const F& f) {
  for (int64_t y = 0; y < w.height; ++y)
    for (int64_t dy = 0; dy < w.kernel_y; ++dy) f(y, dy, (y + dy) * w.padded_width() * count);
}

template <class C>
void convolve_group(const Window& w, const ColumnBlock& b, const C* in, const C* weights, C* out) {
  const int64_t line = w.kernel_x * b.count;
  for_each_line(w, b.count, [&](int64_t y, int64_t dy, int64_t from) {
    mix_rows<C>(w.width, b.count, line, {in + from, b.count},
                {weights + dy * line * b.count, b.count},
                {out + (b.row * w.height + y) * w.width * w.dim + b.first, w.dim});
  });
}

template <class C>
void convolve_columns(const Window& w, const ColumnBlock& b, const C* in, const C* weights,
                      C* out) {
  for_each_line(w, b.count, [&](int64_t y, int64_t dy, int64_t from) {
    for (int64_t x = 0; x < w.width; ++x) {
      C* to = out + ((b.row * w.height + y) * w.width + x) * w.dim + b.first;
      for (int64_t dx = 0; dx < w.kernel_x; ++dx) {
        const C* read = in + from + (x + dx) * b.count;
        const C* weight = weights + (dy * w.kernel_x + dx) * w.dim + b.first;
        for (int64_t c = 0; c < b.count; ++c) to[c] += weight[c] * read[c];
      }
    }
  });
}

// sums [tap, input, output] of a group, or [tap, column].
template <class C>
void gradient_of_block(const Window& w, const ColumnBlock& b, const C* in, const C* dout, C* sums) {
  const int64_t line = w.kernel_x * b.count;
  for_each_line(w, b.count, [&](int64_t y, int64_t dy, int64_t from) {
    const C* given = dout + (b.row * w.height + y) * w.width * w.dim + b.first;
    if (!w.depthwise())
      return mix_rows<C>(line, b.count, w.width, {in + from, 1, b.count}, {given, w.dim},
                         {sums + dy * line * b.count, b.count});
    for (int64_t x = 0; x < w.width; ++x)
      for (int64_t n = 0; n < line; ++n)
        sums[dy * line + n] += in[from + x * b.count + n] * given[x * w.dim + n % b.count];
  });
}

}  // namespace

template <class C>
Scratch<C> packed_weights(const Window& w, const ConvolutionLayer& layer, bool turned) {
  const int64_t n = w.inputs(), taps = w.taps();
  Scratch<C> out(w.dim * n * taps);
  parallel_for(w.dim, out.size() * 8, [&](int64_t column) {
    const int64_t group = column / n, output = column % n;
    for (int64_t input = 0; input < n; ++input)
      for (int64_t t = 0; t < taps; ++t) {
        const double weight = layer.unit[static_cast<size_t>((column * n + input) * taps + t)];
        const int64_t tap = turned ? taps - 1 - t : t;
        const int64_t place = w.depthwise() ? tap * w.dim + column
                              : turned      ? ((group * taps + tap) * n + output) * n + input
                                            : ((group * taps + tap) * n + input) * n + output;
        out[place] = static_cast<C>(weight * layer.g[static_cast<size_t>(t)]);
      }
  });
  return out;
}

template <class C>
void convolve(const Window& w, const C* in, const C* weights, bool turned, C* out) {
  parallel_for(w.rows * w.blocks(), w.bytes(), [&](int64_t i) {
    const ColumnBlock block(w, i / w.blocks(), i % w.blocks());
    const Scratch<C> from = padded(w, block, in, turned);
    if (w.depthwise()) return convolve_columns(w, block, from.data(), weights, out);
    const int64_t group = block.first * w.inputs() * w.taps();
    convolve_group(w, block, from.data(), weights + group, out);
  });
}

template <class C>
void add_tap_gradient(const Window& w, const C* in, const C* dout, double* sums) {
  parallel_for(w.blocks(), w.bytes(), [&](int64_t number) {
    for (int64_t row = 0; row < w.rows; ++row) {  // in order, so that sums are the same
      const ColumnBlock block(w, row, number);
      const int64_t n = w.inputs(), count = block.count;
      const Scratch<C> from = padded(w, block, in, false);
      Scratch<C> part(w.taps() * n * count, C{0});
      gradient_of_block(w, block, from.data(), dout, part.data());
      for (int64_t i = 0; i < part.size(); ++i) {  // i: tap, input, column
        const int64_t column = block.first + i % count, input = i / count % n, tap = i / count / n;
        sums[(column * n + input) * w.taps() + tap] += static_cast<double>(part[i]);
      }
    }
  });
}

template Scratch<float> packed_weights(const Window&, const ConvolutionLayer&, bool);
template Scratch<double> packed_weights(const Window&, const ConvolutionLayer&, bool);
template void convolve(const Window&, const float*, const float*, bool, float*);
template void convolve(const Window&, const double*, const double*, bool, double*);
template void add_tap_gradient(const Window&, const float*, const float*, double*);
template void add_tap_gradient(const Window&, const double*, const double*, double*);

}  // namespace posenc::cpu
