// explain.h: the encodings of a model as numbers and as JSON.
#pragma once

#include "posenc/model.h"

namespace posenc {
namespace POSENC_PUBLIC model {

// The version of the JSON printed for models, and of all JSON of the tool. It changes when a key is
// removed or its meaning changes.
inline constexpr int64_t json_version = 1;

// The training length of a component, and its maximum length according to its file.
struct Lengths {
  std::optional<int64_t> trained{}, usable{};
};
Lengths lengths(const Component& part);

// The frequencies and factors of a rotary component for a text of some length.
struct Rotation {
  int64_t length = 0;                 // 0 if the rule does not depend on it
  std::vector<double> frequencies{};  // of each pair, radians per position
  double cos_sin_factor = 1, softmax_factor = 1;

  int64_t rotating() const;                  // pairs whose frequency is not 0
  double longest() const;                    // wavelength of the slowest pair that rotates
  int64_t unfinished(int64_t within) const;  // pairs without a full turn in `within` tokens
};
// Nothing for a component that is not rotary, learns its frequencies, or is only described. The
// default length is the usable one.
std::optional<Rotation> rotation(const Component& part, std::optional<int64_t> length = {});

// The posenc scheme of a component, with its options; nothing if it is only described.
std::optional<SchemeInfo> scheme_info(const Component& part);

struct ExplainOptions {
  std::optional<int64_t> length{};  // length of the text in tokens, for length rules
  bool frequencies = false;         // also list every pair
};
// Everything that is known about the model, as `posenc explain --json` prints it.
std::string explain_json(const Model& model, const ExplainOptions& options = {});

// Notes that someone should look at, and separately traps, which also exist in correct
// models.
struct Findings {
  std::vector<Note> findings{}, traps{};
};
struct LintOptions {
  std::vector<NoteKind> kinds{};  // kinds of findings; default: conflict, ignored
  bool strict = false;            // traps are findings too
};
Findings lint(const Model& model, const LintOptions& options = {});
// The same, as `posenc lint --json` prints it.
std::string lint_json(const Model& model, const LintOptions& options = {});

}  // namespace model
}  // namespace posenc
