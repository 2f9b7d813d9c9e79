// diff_compare.h: two models, part by part.
#pragma once

#include "models.h"

namespace posenc::cli {

struct Difference {
  std::string name, first, second;  // of a fact, as text; empty: it has none
};

// Both at one length.
struct Phases {
  int64_t length, pair;  // the pair that is worst
  double worst;          // radians between them after so many tokens
  Turning first, second;
};

// A component of both models.
struct Compared {
  const model::Component *first, *second;
  std::vector<Difference> facts{};
  std::vector<Phases> phases{};

  bool same() const;
  // "text", or "text against text, full layers" where both are called otherwise.
  std::string where() const;
};

struct Comparison {
  std::vector<Compared> both{};
  std::vector<const model::Component*> only_first{}, only_second{};

  bool same() const;
};

// Parts that are called the same, then those of one model that the other has in another number of
// groups of layers, then those that alone have a scheme. `lengths`: for which phases are compared;
// empty: those of the models.
Comparison compare(const model::Model& a, const model::Model& b,
                   const std::vector<int64_t>& lengths);

// What was found, as text and as JSON.
std::string comparison_text(const Comparison& all, const model::Model& a, const model::Model& b);
Json comparison_json(const Comparison& all, const model::Model& a, const model::Model& b);

}  // namespace posenc::cli
