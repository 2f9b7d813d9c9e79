// shift.cc: PE(p + k) = M_k PE(p), with M_k as a value.
#include <posenc/posenc.h>

#include <cstdio>
#include <vector>

int main() {
  posenc::Sinusoidal pe{.dim = 64};
  std::vector<double> here(64), there(64);
  posenc::fill(pe, posenc::tensor(here.data(), {1, 64}), posenc::range(1'000'000));
  posenc::fill(pe, posenc::tensor(there.data(), {1, 64}), posenc::range(1'000'007));

  posenc::Shift seven = posenc::shift(pe, 3) * posenc::shift(pe, 4);
  posenc::Tensor row = posenc::tensor(here.data(), {1, 64});
  seven.apply(row, row);

  double error = 0;
  for (int c = 0; c < 64; ++c) error = std::max(error, std::abs(here[c] - there[c]));
  std::printf("%s\n", error < 1.5e-15 ? "M_3 M_4 PE(p) = PE(p + 7)" : "no");
}
