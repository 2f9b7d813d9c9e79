// schemes.h: small ones of each kind of term, for 3 heads.
#pragma once

#include "tests/content/formulas.h"

namespace posenc {

// A scheme of the list without a line here does not compile.
inline std::vector<Content> small(const Shaw&) {
  return {Shaw{.dim = 6, .left = 3, .right = 2},
          Shaw{.dim = 5, .heads = 3, .left = 3, .right = 2, .beyond = Beyond::zero}};
}
inline std::vector<Content> small(const MusicTransformer&) {
  return {MusicTransformer{.dim = 6, .heads = 3, .length = 12}};
}
inline std::vector<Content> small(const TransformerXl&) {
  const Sinusoidal halves{.dim = 6, .order = Order::halves}, interleaved{.dim = 8};
  return {TransformerXl{.dim = 5, .heads = 3, .sinusoids = halves},
          TransformerXl{.dim = 5, .heads = 3, .sinusoids = interleaved, .clamp_len = 4},
          TransformerXl{.dim = 4, .heads = 3, .sinusoids = halves, .biases = false}};
}
inline std::vector<Content> small(const Deberta&) {
  return {Deberta{.dim = 6, .heads = 3, .buckets = 8, .max_distance = 16},
          Deberta{.dim = 5, .heads = 3, .buckets = 0, .max_distance = 7}};
}
inline std::vector<Content> small(const Segments&) {
  return {Segments{.dim = 6, .heads = 3},
          Segments{.dim = 5, .heads = 3, .rows = SegmentRows::other_first, .joined = 2}};
}
inline std::vector<Content> small(const Decomposed&) {
  return {Decomposed{.dim = 6, .height = 5, .width = 7}, Decomposed{.dim = 5,
                                                                    .height = 6,
                                                                    .width = 8,
                                                                    .key_height = 3,
                                                                    .key_width = 11,
                                                                    .table_height = 4,
                                                                    .table_width = 14}};
}
inline std::vector<Content> small(const GatedT5&) {
  return {GatedT5{.dim = 6, .heads = 3, .buckets = 12, .max_distance = 20}};
}
inline std::vector<Content> small(const Cope&) {
  return {Cope{.dim = 6, .positions = 5}, Cope{.dim = 5, .positions = 4, .soft = 0.5}};
}
inline std::vector<Content> small(const Forgetting&) {
  return {Forgetting{}, Forgetting{.side = ForgetSide::after, .gate_scale = 0.5}};
}

inline std::vector<Content> small(const ForgettingRows&) {
  return {ForgettingRows{.dim = 6}, ForgettingRows{.dim = 5, .gate_scale = 0.5}};
}
inline std::vector<Content> small(const KerpleWeight&) { return {KerpleWeight{.heads = 3}}; }

inline std::vector<Content> small_schemes() {
  std::vector<Content> out;
  for_each_alternative<Content>([&](const auto& s) {
    for (const Content& scheme : small(s)) out.push_back(scheme);
  });
  return out;
}

// Whether it sums from key to key, in the order of their positions.
inline bool sums_keys(const Content& scheme) {
  return std::holds_alternative<Forgetting>(scheme) ||
         std::holds_alternative<ForgettingRows>(scheme);
}

inline Sum any_term(const Content& scheme, const Stand& t, const At& a) {
  return std::visit([&](const auto& s) { return term(s, t, a); }, scheme);
}

}  // namespace posenc
