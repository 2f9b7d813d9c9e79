// diff.h: compares the positional encodings of two models, part by part.
#pragma once

#include "posenc/model/explain.h"

namespace posenc {
namespace POSENC_PUBLIC model {

// Both models at one length.
struct Phases {
  int64_t length, pair;  // the worst pair
  double worst;          // difference in radians after `length` tokens
  Rotation first, second;
};

// A component of both models.
struct Compared {
  const Component *first, *second;
  std::vector<std::string> facts{};  // names of facts that differ, including "layers", "positions"
  std::vector<Phases> phases{};

  bool same() const;
  // "text", or "text against text, full layers" if their names differ.
  std::string where() const;
};

// Has pointers into the compared models.
struct Comparison {
  std::vector<Compared> both{};
  std::vector<const Component*> only_first{}, only_second{};

  bool same() const;
};

// Compares parts with the same name, then parts that only one model divides into groups of layers,
// then the parts of models that have only one part with a scheme. `lengths`: where phases are
// compared; empty: the lengths of the models.
Comparison diff(const Model& first, const Model& second, const std::vector<int64_t>& lengths = {});

// A fact of a component as text, including "layers" and "positions"; empty if it has none.
std::string fact_text(const Component& part, std::string_view name);

// The comparison as `posenc diff --json` prints it, with facts as text or as values.
enum class FactsAs : uint8_t { text, values };
std::string diff_json(const Comparison& found, const Model& first, const Model& second,
                      FactsAs facts = FactsAs::text);

}  // namespace model
}  // namespace posenc
