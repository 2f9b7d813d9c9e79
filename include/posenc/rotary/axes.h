// axes.h: which coordinate of a token turns which pair, and with which frequency.
//
// A token of a picture or a film has several coordinates. Each pair listens to one of them; with
// 8 pairs, sections 3 2 3 and the axes called T, H, W:
//
//   chunked      T T T H H W W W      Qwen2-VL, GLM-4V: one section after the other
//   alternating  T H W T H W T T      Qwen3-VL: H and W in turn while they last, the rest T
//   ernie        H W H W ... T T T    Ernie 4.5: the first two sections in turn, then the third
//   listed       any other order
//
// There pair k has the frequency of pair k, whatever its axis. On the grids of vision encoders
// every axis has frequencies of its own:
//
//   restart      chunks whose frequencies begin anew on each axis (Qwen vision, Llama 4, SAM 2)
//   dealt        chunks; the frequencies are dealt out in turn, 0 2 4 .. and 1 3 5 .. (Pixtral)
#pragma once

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

// The frequency of a pair is base^(-index / count), or entry `index` of `count`.
struct PairAxis {
  int64_t axis, index, count;
};

using Sections = std::vector<double>;  // pairs of each axis; whole numbers

// Throws Error unless the sections are whole, positive and at most max_axes.
void check_sections(std::string_view option, const Sections& sections);
// Throws Error unless they sum to the number of pairs.
void check_sum(std::string_view option, const Sections& sections, int64_t pairs);
// For each pair the number of its section, one section after the other.
std::vector<int64_t> chunks(const Sections& sections);

struct OneAxis {
  static constexpr std::string_view name = "one";
  static constexpr auto fields() { return std::tuple{}; }
  int64_t axes() const { return 1; }
  std::vector<int64_t> assigned(int64_t pairs) const {
    return std::vector<int64_t>(static_cast<size_t>(pairs));
  }
};

template <class Rule>
constexpr auto sections_field(Sections Rule::*member) {
  return Field{"sections", member, "how many pairs each axis has"};
}

struct Chunked {
  static constexpr std::string_view name = "chunked";
  Sections sections{};
  static constexpr auto fields() { return std::tuple{sections_field(&Chunked::sections)}; }
  int64_t axes() const { return std::ssize(sections); }
  std::vector<int64_t> assigned(int64_t pairs) const;
};

struct Alternating {
  static constexpr std::string_view name = "alternating";
  Sections sections{};
  static constexpr auto fields() { return std::tuple{sections_field(&Alternating::sections)}; }
  int64_t axes() const { return std::ssize(sections); }
  std::vector<int64_t> assigned(int64_t pairs) const;
};

// Positions keep the order T, H, W; the sections are those of H, W and T, as Ernie's configs say.
struct ErnieAxes {
  static constexpr std::string_view name = "ernie";
  Sections sections{};
  static constexpr auto fields() { return std::tuple{sections_field(&ErnieAxes::sections)}; }
  int64_t axes() const { return std::ssize(sections); }
  std::vector<int64_t> assigned(int64_t pairs) const;
};

struct Restart {
  static constexpr std::string_view name = "restart";
  Sections sections{};
  static constexpr auto fields() { return std::tuple{sections_field(&Restart::sections)}; }
  int64_t axes() const { return std::ssize(sections); }
  std::vector<int64_t> assigned(int64_t pairs) const;
};

struct Dealt {
  static constexpr std::string_view name = "dealt";
  Sections sections{};
  static constexpr auto fields() { return std::tuple{sections_field(&Dealt::sections)}; }
  int64_t axes() const { return std::ssize(sections); }
  std::vector<int64_t> assigned(int64_t pairs) const;
};

struct ListedAxes {
  static constexpr std::string_view name = "listed";
  std::vector<double> of_pair{};
  static constexpr auto fields() {
    return std::tuple{Field{"of_pair", &ListedAxes::of_pair, "the axis of each pair"}};
  }
  int64_t axes() const;
  std::vector<int64_t> assigned(int64_t pairs) const;
};

using AxisRule = std::variant<OneAxis, Chunked, Alternating, ErnieAxes, Restart, Dealt, ListedAxes>;

// Whether every axis has frequencies of its own.
bool has_own_frequencies(const AxisRule& rule);
// Axis and frequency of every pair; throws Error where the sections do not fit.
std::vector<PairAxis> pair_axes(const AxisRule& rule, int64_t pairs);

}  // namespace posenc
