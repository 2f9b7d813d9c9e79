// fourier.cc: rows whose cosines and sines are mixtures (FoPE), and the gradient of what mixes
// them.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "rotary/plan.h"

namespace posenc {
namespace {

struct FourierSizes {
  int64_t rows, heads, mixed, pairs;

  explicit FourierSizes(const Rope& rope)
      : rows(std::get<Fourier>(rope.frequencies).max_position_embeddings),
        heads(std::get<Fourier>(rope.frequencies).heads),
        mixed(std::get<Fourier>(rope.frequencies).mixed(rope.base, rope.pairs())),
        pairs(rope.pairs()) {}
  int64_t columns() const { return heads * 2 * pairs; }
  // Coefficient [is_sine, head, D, d], and where head and d of cosines or sines lie in a row.
  int64_t coefficient(int64_t is_sine, int64_t head, int64_t from) const {
    return ((is_sine * heads + head) * mixed + from) * mixed;
  }
  int64_t column(int64_t is_sine, int64_t head) const { return (head * 2 + is_sine) * pairs; }
};

// Cosines, then sines, of the frequencies that remain at all positions; sines have the scheme's
// sign.
std::vector<double> basis_of(const Rope& rope, const std::vector<Frequency>& frequencies,
                             const FourierSizes& n) {
  std::vector<std::vector<Frequency>> angles;
  for (int64_t k = 0; k < n.mixed; ++k) angles.push_back({frequencies[static_cast<size_t>(k)]});
  Rope plain = rope;
  plain.frequencies = Powers{}, plain.offset = 0;
  auto out = zeros<double>("prepare", "rows", n.rows * 2 * n.mixed);
  if (n.mixed == 0) return out;
  const AbsolutePlan plan = make_plan(cos_sin_source(angles, n.mixed, 1, 1, plain), {});
  fill(plan, tensor(out.data(), {n.rows, 2 * n.mixed}));
  return out;
}

}  // namespace

RowSource mixed_source(const Rope& rope, const std::vector<Frequency>& frequencies,
                       const Tensor& coefficients) {
  const FourierSizes n(rope);
  const auto basis = basis_of(rope, frequencies, n), c = values(coefficients);
  const bool ones = std::get<Fourier>(rope.frequencies).rest == RestPairs::ones;
  const double sign = rope.sign == Sign::positive ? 1 : -1;
  RowSource out;
  out.dim = n.columns();
  out.own_table = zeros<double>("prepare", "rows", n.rows * n.columns());
  parallel_for(n.rows, n.rows * n.columns() * 8, [&](int64_t p) {
    double* row = out.own_table.data() + p * n.columns();
    const double* from = basis.data() + p * 2 * n.mixed;
    for (int64_t is_sine = 0; is_sine < 2; ++is_sine)
      for (int64_t h = 0; h < n.heads; ++h) {
        double* to = row + n.column(is_sine, h);
        for (int64_t i = 0; i < n.mixed; ++i)
          for (int64_t d = 0; d < n.mixed; ++d)
            to[d] += from[is_sine * n.mixed + i] *
                     c[static_cast<size_t>(n.coefficient(is_sine, h, i) + d)];
        for (int64_t d = n.mixed; d < n.pairs; ++d) to[d] = is_sine ? (ones ? sign : 0) : 1;
      }
  });
  out.table =
      Table{.rows = tensor(out.own_table.data(), {n.rows, n.columns()}), .offset = rope.offset};
  return out;
}

void add_coefficient_gradient(const Rope& rope, const std::vector<Frequency>& frequencies,
                              std::span<const double> dtable, const Tensor& dcoefficients) {
  const FourierSizes n(rope);
  const auto basis = basis_of(rope, frequencies, n);
  const int64_t blocks = 2 * n.heads * n.mixed;
  std::vector<double> sums(static_cast<size_t>(blocks * n.mixed));
  parallel_for(blocks, n.rows * n.columns() * 8, [&](int64_t block) {
    const int64_t i = block % n.mixed, h = block / n.mixed % n.heads,
                  is_sine = block / n.mixed / n.heads;
    double* to = sums.data() + n.coefficient(is_sine, h, i);
    for (int64_t p = 0; p < n.rows; ++p) {
      const double by = basis[static_cast<size_t>((2 * p + is_sine) * n.mixed + i)];
      const double* from = dtable.data() + p * n.columns() + n.column(is_sine, h);
      for (int64_t d = 0; d < n.mixed; ++d) to[d] += by * from[d];
    }
  });
  for (size_t i = 0; i < sums.size(); ++i)
    add_value(dcoefficients, static_cast<int64_t>(i), sums[i]);
}

}  // namespace posenc
