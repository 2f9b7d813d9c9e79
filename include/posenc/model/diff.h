// diff.h: the positional encodings of two models, part by part.
#pragma once

#include "posenc/model/explain.h"

namespace posenc {
namespace POSENC_PUBLIC model {

// Both at one length.
struct Phases {
  int64_t length, pair;  // the pair that is worst
  double worst;          // radians between them after so many tokens
  Rotation first, second;
};

// A component of both models.
struct Compared {
  const Component *first, *second;
  std::vector<std::string> facts{};  // that differ, by name; "layers" and "positions" among them
  std::vector<Phases> phases{};

  bool same() const;
  // "text", or "text against text, full layers" where both are called otherwise.
  std::string where() const;
};

// Points into the models that were compared.
struct Comparison {
  std::vector<Compared> both{};
  std::vector<const Component*> only_first{}, only_second{};

  bool same() const;
};

// Parts that are called the same, then those of one model that the other has in another number of
// groups of layers, then those that alone have a scheme. `lengths`: for which phases are compared;
// empty: those of the models.
Comparison diff(const Model& first, const Model& second, const std::vector<int64_t>& lengths = {});

// A fact of a component as text, "layers" and "positions" too; empty where it has none.
std::string fact_text(const Component& part, std::string_view name);

// What was found, as `posenc diff --json` prints it; facts are text there, or the values they have.
enum class FactsAs : uint8_t { text, values };
std::string diff_json(const Comparison& found, const Model& first, const Model& second,
                      FactsAs facts = FactsAs::text);

}  // namespace model
}  // namespace posenc
