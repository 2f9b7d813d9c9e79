// posenc_rope.h: rotary position embeddings (RoPE) in one header without dependencies. C++20.
//
// Made from the sources of posenc @VERSION@ (Apache-2.0) by packaging/rope_header.py: the same
// frequencies, the same length rules (linear, NTK, dynamic NTK, YaRN, LongRoPE, Llama 3, ...),
// exact angles at every position, both layouts. Plain scalar code: copy all of it, or the parts
// that your engine needs.
//
//   posenc_rope::Rope rope{.dim = 128,
//                          .layout = posenc_rope::Layout::half,
//                          .base = 500000,
//                          .scaling = posenc_rope::Llama3{}};
//   posenc_rope::Table table(rope);  // (rope, length) for rules that depend on the text's length
//   std::vector<float> cosine(table.pairs()), sine(table.pairs());
//   table.fill(position, cosine.data(), sine.data());  // at any position
//   table.rotate(head, cosine.data(), sine.data());    // dim floats, in place
//
// Options, lengths and positions that make no sense throw std::invalid_argument, as the library
// refuses them.
#pragma once

// clang-format off

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace posenc_rope {

template <class... Parts>
[[noreturn]] void fail(std::string_view where, const Parts&... parts) {
  std::ostringstream text;
  text << '[' << where << "] ";
  (text << ... << parts);
  throw std::invalid_argument(text.str());
}

//@ file src/base/bits.h

//@ file src/frequencies/wide_limbs.h

//@ file src/frequencies/wide_float.h

//@ file src/frequencies/wide_functions.h

//@ take include/posenc/frequencies.h Frequency Turn quarter_turn

//@ file src/frequencies/phase.h

//@ file src/frequencies/f32.h

inline Frequency frequency(double radians);

//@ file src/frequencies/math.h

//@ take src/frequencies/frequencies.cc from_turns

inline Frequency frequency(double radians) {
  if (!is_finite(radians)) fail("frequency", "expected a finite number, got ", radians);
  return from_turns(Wide(radians) / wide_two_pi());
}

//@ file include/posenc/rotary/scaling.h

//@ take src/base/field.cc check_finite check_positive

//@ file src/rotary/scaling.h

//@ take src/rotary/scaling_base.cc check_length Linear::check DynamicLinear::is_long DynamicLinear::serves DynamicLinear::check Proportional::check Ntk::check DynamicNtk::check VllmNtk::check

//@ take src/rotary/scaling.cc Yarn::check Yarn::magnitude Yarn::cos_sin_factor Yarn::softmax_factor ByParts::check Llama3::check LongRope::serves LongRope::check LongRope::check_pairs LongRope::cos_sin_factor

//@ take src/base/limits.h max_pairs

// 1, base^(1 / count), base^(2 / count), ..., by one power and products.
class Powers {
 public:
  Powers(Wide base, int64_t count) : step_(pow(base, 1 / Wide(count))) {}
  Wide next() {
    const Wide power = power_;
    power_ *= step_;
    return power;
  }

 private:
  Wide step_, power_ = 1;
};

enum class Layout {
  half,         // pair k is features k and k + pairs: Hugging Face, GPT-NeoX
  interleaved,  // features 2k and 2k + 1: GPT-J, Meta's Llama
};

// The length of the longest text that has the frequencies of one of `length` tokens.
inline int64_t served_by(const Scaling& scaling, int64_t length) {
  if (length < 0) fail("rope", "expected a length of the text of at least 0, got ", length);
  return std::visit(
      [&](const auto& rule) {
        rule.check();
        if constexpr (requires { rule.serves(length); }) {
          if (length == 0)
            fail("rope", "expected the length of the text, which scaling ", rule.name, " depends on, got ", length);
          return rule.serves(length);
        }
        return INT64_MAX;
      },
      scaling);
}

struct Rope {
  int64_t dim = 128;               // features that turn, even
  std::optional<Layout> layout{};  // no default: must be given
  double base = 10000;             // rope_theta
  Scaling scaling{};
  bool f32_frequencies = false;  // rounded as models are trained with them

  void check() const {
    if (dim < 2 || dim > 2 * max_pairs || dim % 2 != 0)
      fail("rope", "expected dim, the features that rotate, even and from 2 to ", 2 * max_pairs, ", got ", dim);
    if (!layout) fail("rope", "expected layout half or interleaved, got none: it cannot be guessed");
    check_positive("rope", "base", base);
    if (base > 1e30) fail("rope", "expected base of at most 1e30, got ", base);
    std::visit([](const auto& rule) { rule.check(); }, scaling);
    const bool any_base = std::holds_alternative<NoScaling>(scaling) || std::holds_alternative<Linear>(scaling);
    const auto rule = std::visit([](const auto& r) { return r.name; }, scaling);
    if (!any_base && !(base > 1)) fail("rope", "expected base above 1 for scaling ", rule, ", got ", base);
    if (const auto* longrope = std::get_if<LongRope>(&scaling)) longrope->check_pairs(dim / 2);
  }
};

// Radians per position of every pair, as fractions of a turn; length: of the text, where the rule asks for it.
inline std::vector<Frequency> frequencies(const Rope& rope, int64_t length = 0) {
  rope.check();
  served_by(rope.scaling, length);
  const int64_t pairs = rope.dim / 2;
  std::vector<Frequency> out;
  std::visit(
      [&](const auto& rule) {
        if (rope.f32_frequencies) {
          RuleInput<Torch> in{rope.dim, rope.base, Torch::two_pi(), length};
          in.base = base_of(rule, in);
          const auto to_frequency = scaled(rule, in);
          for (int64_t k = 0; k < pairs; ++k) {
            const F32 exponent = F32(static_cast<double>(k)) / static_cast<double>(pairs);
            out.push_back(Torch::frequency(to_frequency(k, power(F32(in.base), exponent))));
          }
        } else {
          RuleInput<Exact> in{rope.dim, rope.base, Exact::two_pi(), length};
          in.base = base_of(rule, in);
          const auto to_frequency = scaled(rule, in);
          Powers powers(in.base, pairs);
          for (int64_t k = 0; k < pairs; ++k)
            out.push_back(Exact::frequency(to_frequency(k, powers.next())));
        }
      },
      rope.scaling);
  return out;
}

// What cosines and sines are multiplied by (YaRN, LongRoPE), and what the scale of the softmax is (DeepSeek's YaRN).
inline double cos_sin_factor(const Scaling& scaling, int64_t length = 0) {
  served_by(scaling, length);
  if (const auto* yarn = std::get_if<Yarn>(&scaling)) return yarn->cos_sin_factor(length);
  if (const auto* rule = std::get_if<LongRope>(&scaling)) return rule->cos_sin_factor(length);
  return 1;
}
inline double softmax_factor(const Scaling& scaling) {
  std::visit([](const auto& rule) { rule.check(); }, scaling);
  const auto* yarn = std::get_if<Yarn>(&scaling);
  return yarn ? yarn->softmax_factor() : 1;
}

// sin(2 pi phase), within 4e-16.
inline double sine_of(Turn phase) {
  constexpr double c[] = {@SINE@};
  const bool far = static_cast<int64_t>(phase + quarter_turn) < 0;  // more than a quarter away from 0
  const auto folded = static_cast<int64_t>(far ? (Turn{1} << 63) - phase : phase);
  const double x = static_cast<double>(folded) * (6.283185307179586477 * 0x1p-64), z = x * x;
  double p = c[0];
  for (int i = 1; i < 8; ++i) p = std::fma(p, z, c[i]);
  return std::fma(x * z, p, x);
}

class Table {
 public:
  explicit Table(const Rope& rope, int64_t length = 0)
      : frequencies_(frequencies(rope, length)),
        layout_(*rope.layout),
        factor_(posenc_rope::cos_sin_factor(rope.scaling, length)),
        end_(served_by(rope.scaling, length)) {}

  int64_t pairs() const { return static_cast<int64_t>(frequencies_.size()); }

  // Of float or double; a position is an integer or a double.
  template <class T>
  void fill(std::integral auto position, T* cosine, T* sine) const {
    constexpr int64_t far = int64_t{1} << 62;
    if (std::cmp_less(position, -far) || std::cmp_greater(position, far))
      fail("rope", "expected positions within 2^62, got ", position);
    fill_row(position, WholeAndPart{static_cast<int64_t>(position)}, cosine, sine);
  }
  template <class T>
  void fill(double position, T* cosine, T* sine) const {
    if (!is_finite(position) || position < -0x1p62 || position > 0x1p62)
      fail("rope", "expected finite positions within 2^62, got ", position);
    fill_row(position, split(position), cosine, sine);
  }

  template <class T>
  void rotate(T* head, const T* cosine, const T* sine) const {
    const size_t pairs = frequencies_.size();
    const bool half = layout_ == Layout::half;
    for (size_t k = 0; k < pairs; ++k) {
      T &a = head[half ? k : 2 * k], &b = head[half ? k + pairs : 2 * k + 1];
      const T x = a, y = b;
      a = std::fma(-y, sine[k], x * cosine[k]);
      b = std::fma(x, sine[k], y * cosine[k]);
    }
  }

 private:
  template <class T>
  void fill_row(auto given, WholeAndPart position, T* cosine, T* sine) const {
    if (position.whole >= end_)
      fail("rope", "expected positions below ", end_,
           " of this table, whose frequencies depend on the length of the text, got ", given);
    for (size_t k = 0; k < frequencies_.size(); ++k) {
      const Turn angle = phase(frequencies_[k], position);
      cosine[k] = static_cast<T>(sine_of(angle + quarter_turn) * factor_);
      sine[k] = static_cast<T>(sine_of(angle) * factor_);
    }
  }
  std::vector<Frequency> frequencies_;
  Layout layout_;
  double factor_;
  int64_t end_;  // positions from here on are those of a longer text
};

}  // namespace posenc_rope
