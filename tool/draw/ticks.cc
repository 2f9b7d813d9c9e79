#include "draw/ticks.h"

#include <algorithm>

#include "draw/text.h"

namespace posenc::draw {
namespace {

struct Step {
  double digit;  // 1, 2 or 5
  int exponent;
  double size() const { return digit * std::pow(10.0, exponent); }
};

// The first of 1, 2, 5, 10, ... times a power of ten that is not below `least`.
Step round_step(double least) {
  const int exponent = static_cast<int>(std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (Step{digit, exponent}.size() >= least * (1 - 1e-9)) return {digit, exponent};
  return {1, exponent + 1};
}

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

// Labels of multiples of a step, all with the same decimals and the same power of ten.
std::string linear_label(double value, Step step, double largest) {
  const int top = exponent_of(largest);
  if (top < 6 && top >= -4) return fixed(value, std::max(0, -step.exponent));
  if (value == 0) return "0";
  return fixed(value / std::pow(10.0, top), std::max(0, top - step.exponent)) + "×" +
         power_of_ten(top);
}

std::vector<Tick> linear_ticks(double low, double high, Step step) {
  const double size = step.size(), slack = 1e-9;
  const double largest = std::max(std::abs(low), std::abs(high));
  const auto first = static_cast<int64_t>(std::ceil(low / size - slack));
  const auto last = static_cast<int64_t>(std::floor(high / size + slack));
  std::vector<Tick> ticks;
  for (int64_t k = first; k <= last; ++k) {
    const double value = static_cast<double>(k) * size;
    ticks.push_back({value, linear_label(value, step, largest)});
  }
  return ticks;
}

std::string log_label(double digit, int exponent, bool plain) {
  if (plain) return fixed(digit * std::pow(10.0, exponent), std::max(0, -exponent));
  return (digit == 1 ? "" : fixed(digit, 0) + "×") + power_of_ten(exponent);
}

// Every `stride` decades a label on 1, or on 1, 2 and 5 when `dense`; minor ticks between.
std::vector<Tick> log_ticks(double low, double high, int stride, bool dense) {
  const int first = exponent_of(low), last = exponent_of(high);
  const bool plain = low >= 0.99e-3 && high < 1e6;
  std::vector<Tick> ticks;
  for (int e = first; e <= last; ++e)
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10.0, e);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const bool labelled = digit == 1 ? e % stride == 0 : dense && (digit == 2 || digit == 5);
      if (labelled)
        ticks.push_back({value, log_label(digit, e, plain)});
      else if (stride == 1 || digit == 1)
        ticks.push_back({value, ""});
    }
  return ticks;
}

int64_t labelled(const std::vector<Tick>& ticks) {
  return std::count_if(ticks.begin(), ticks.end(), [](const Tick& t) { return !t.label.empty(); });
}

}  // namespace

std::vector<Tick> make_ticks(const Ruler& ruler, int most) {
  const double low = std::min(ruler.from, ruler.to), high = std::max(ruler.from, ruler.to);
  most = std::max(most, 2);
  if (ruler.log) {
    const double decades = std::log10(high) - std::log10(low);
    const int stride = std::max(1, static_cast<int>(std::ceil(decades / most)));
    auto ticks = log_ticks(low, high, stride, decades * 3 <= most);
    if (labelled(ticks) >= 2) return ticks;
  }
  return linear_ticks(low, high, round_step(std::max((high - low) / most, ruler.smallest_step)));
}

}  // namespace posenc::draw
