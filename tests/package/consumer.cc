// consumer.cc: a program of someone who uses the library; it adds an encoding and checks a number.
#include <posenc/posenc.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x(2 * 3 * 4, 1.0f);
  posenc::add(posenc::Sinusoidal{.dim = 4}, posenc::tensor(x.data(), {2, 3, 4}));
  const double got = x[1 * 12 + 2 * 4 + 1], expected = 1 + std::cos(2.0);  // batch 1, position 2
  std::printf("posenc %s: got %.7f, expected %.7f\n", POSENC_VERSION, got, expected);
  return std::abs(got - expected) < 1e-7 ? 0 : 1;  // an f32 near 0.58 is rounded by at most 3e-8
}
