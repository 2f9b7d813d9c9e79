// measure.cc: interleaved samples and their median.
#include "measure.h"

#include <algorithm>
#include <cmath>

namespace posenc::bench {
namespace {

constexpr double shortest_sample = 1e-3;
constexpr size_t least_samples = 3;

void calibrate(Contender& c) {
  double taken = c.run(1);
  while (taken < shortest_sample) {
    const double factor = std::clamp(1.5 * shortest_sample / std::max(taken, 1e-9), 2.0, 100.0);
    c.calls = static_cast<int64_t>(std::ceil(static_cast<double>(c.calls) * factor));
    taken = c.run(c.calls);
  }
}

void take_sample(Contender& c) {
  if (c.calls > 1) c.run(1);
  const double taken = c.run(c.calls);
  c.spent += taken;
  c.samples.push_back(taken / static_cast<double>(c.calls));
}

}  // namespace

double Contender::median() const {
  auto sorted = samples;
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double Contender::least() const { return *std::min_element(samples.begin(), samples.end()); }

void measure(std::vector<Contender>& contenders, double seconds) {
  for (Contender& c : contenders) calibrate(c);
  const auto short_of_samples = [](const Contender& c) { return c.samples.size() < least_samples; };
  while (contenders.front().spent < seconds ||
         std::any_of(contenders.begin(), contenders.end(), short_of_samples))
    for (Contender& c : contenders)
      if (c.spent < seconds || short_of_samples(c)) take_sample(c);
}

}  // namespace posenc::bench
