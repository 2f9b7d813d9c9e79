// rotary_frequencies.cc: which base and length rule give the frequencies of rotary pairs.
#include <algorithm>
#include <cmath>

#include "kinds.h"
#include "measure.h"
#include "rotary/frequencies.h"

namespace posenc::inspect {
namespace {

// Powers in f32: the exponent is rounded |ln w| times as much as the power and the division.
double grain(double w) { return w == 0 ? 0 : 0x1p-22 * (std::abs(std::log(std::abs(w))) + 2); }

int digits_of(double x) {
  int digits = 1;
  while (digits < 17 && rounded_to_digits(x, digits) != x) ++digits;
  return digits;
}

constexpr int64_t lengths[] = {8192,  4096, 2048,   32768,  16384, 131072,
                               65536, 1024, 262144, 524288, 40960, 1048576};

class RuleMatch {
 public:
  explicit RuleMatch(const std::vector<Known>& pairs) : pairs_(pairs), n_(std::ssize(pairs)) {
    while (turning_ > 0 && std::abs(w(turning_ - 1)) <= 2 * at(turning_ - 1).error) --turning_;
  }

  std::vector<RotaryFit> all() {
    for (int64_t k = 1; k < turning_ && known(k); ++k) slowest_ = k;
    if (slowest_ < 1) return {};
    plain();
    if (found_.empty()) linear(3);
    if (found_.empty()) vllm();
    if (found_.empty()) linear(17);
    if (found_.empty() && turning_ < n_) proportional();
    if (found_.empty()) by_wavelength();
    return found_;
  }

 private:
  const Known& at(int64_t k) const { return pairs_[static_cast<size_t>(k)]; }
  double w(int64_t k) const { return at(k).w; }
  double error(int64_t k) const { return at(k).error / w(k) + grain(w(k)); }
  bool known(int64_t k) const { return error(k) < 0.05; }

  Rope rope(double base) const { return {.dim = 2 * n_, .layout = Layout::half, .base = base}; }

  // Does the rope give the first `count` frequencies?
  bool gives(const Rope& r, int64_t count) const {
    const auto model = pair_frequencies(r, 0);
    for (int64_t k = 0; k < count; ++k) {
      const double m = radians(model[static_cast<size_t>(k)]);
      if (std::abs(w(k) - m) > 2 * at(k).error + std::abs(m) * grain(m)) return false;
    }
    return true;
  }
  bool accept(Rope r, std::string also = "") {
    if (!gives(r, n_)) return false;
    found_.push_back({std::move(r), std::move(also)});
    return true;
  }

  // The base of the powers, were every pair `slower` times slower, as the pair up to `last` that
  // tells it best has it.
  struct MeasuredBase {
    double value, error;
  };
  MeasuredBase base_of(int64_t last, double slower = 1) const {
    MeasuredBase best{0, HUGE_VAL};
    for (int64_t k = 1; k <= last; ++k) {
      const double steps = static_cast<double>(n_) / static_cast<double>(k);
      const double off = steps * error(k);
      if (off < best.error) best = {std::exp(-steps * std::log(w(k) * slower)), off};
    }
    return best;
  }
  double round_base(int64_t last, double slower = 1) const {
    const MeasuredBase b = base_of(last, slower);
    return fewest_digits(b.value, b.error);
  }

  void plain() {
    const MeasuredBase measured = base_of(slowest_);
    const double base = fewest_digits(measured.value, measured.error);
    if (digits_of(base) > 3 && ntk(measured)) return;
    accept(rope(base));
  }

  // NTK turns a round base into another; the factor is rounder than that.
  bool ntk(const MeasuredBase& measured) {
    const double d = static_cast<double>(2 * n_);
    for (double base : {1e4, 5e5, 1e6, 5e6}) {
      const double factor =
          fewest_digits(std::pow(measured.value / base, (d - 2) / d), measured.error);
      if (n_ < 2 || factor <= 1 || digits_of(factor) > 3) continue;
      Rope r = rope(base);
      r.scaling = Ntk{factor};
      if (accept(r, "dynamic NTK for a text of L tokens with factor L / L0 - (factor - 1) = " +
                        number_text(factor) + ", or base " +
                        number_text(rounded_to_digits(measured.value, 6))))
        return true;
    }
    return false;
  }

  void linear(int most_digits) {
    const double factor = fewest_digits(1 / w(0), 2 * error(0));
    if (digits_of(factor) > most_digits) return;
    Rope r = rope(round_base(slowest_, factor));
    r.scaling = Linear{factor};
    accept(r);
  }

  void proportional() {
    const double factor = fewest_digits(1 / w(0), 2 * error(0));
    Rope r = rope(round_base(turning_ - 1, factor));
    r.scaling = Proportional{static_cast<double>(turning_) / static_cast<double>(n_), factor};
    accept(r);
  }

  // The base that most of the first pairs have without any rule.
  double base_of_fast_pairs() const {
    for (int64_t k = slowest_; k > 1; --k)
      if (const double base = round_base(k); base > 1 && gives(rope(base), k + 1)) return base;
    return round_base(1);
  }

  // Fast pairs are kept, the slowest divided by the factor.
  void by_wavelength() {
    const double base = base_of_fast_pairs();
    if (!(base > 1)) return;
    const double power = std::pow(base, -static_cast<double>(slowest_) / static_cast<double>(n_));
    const double measured = power / w(slowest_);
    for (int digits : {1, 2, 3, 6}) {
      const double factor = rounded_to_digits(measured, digits);
      if (factor > 1 && std::abs(factor / measured - 1) <= 2 * error(slowest_))
        by_wavelength(base, factor);
      if (!found_.empty()) return;
    }
  }
  void by_wavelength(double base, double factor) {
    for (int64_t length : lengths) {
      Rope r = rope(base);
      r.scaling = Llama3{.factor = factor, .original_max_position_embeddings = length};
      accept(r);
      for (bool truncate : {true, false}) {
        r.scaling = Yarn{
            .factor = factor, .original_max_position_embeddings = length, .truncate = truncate};
        accept(r);
      }
      r.scaling = ByParts{.factor = factor, .original_max_position_embeddings = length};
      accept(r);
    }
  }

  void vllm() {
    const double all = 1 / w(0), factor = std::pow(all, static_cast<double>(n_));
    const double round = fewest_digits(factor, 2 * static_cast<double>(n_) * error(0));
    const MeasuredBase b = base_of(slowest_, all);
    Rope r = rope(fewest_digits(b.value / round, b.error + 2 * static_cast<double>(n_) * error(0)));
    r.scaling = VllmNtk{round};
    if (round > 1 && r.base > 1) accept(r);
  }

  const std::vector<Known>& pairs_;
  int64_t n_, turning_ = n_, slowest_ = 0;
  std::vector<RotaryFit> found_;
};

}  // namespace

std::vector<RotaryFit> rules_for(const std::vector<Known>& pairs) {
  const bool turn = std::all_of(pairs.begin(), pairs.end(),
                                [](const Known& k) { return k.w >= -2 * k.error && k.w < 4; });
  if (!turn || pairs.size() < 2 || pairs[0].w <= 0) return {};
  return RuleMatch(pairs).all();
}

}  // namespace posenc::inspect
