// explain.h: what a model's encodings come to, as numbers and as JSON.
#pragma once

#include "posenc/model.h"

namespace posenc {
namespace POSENC_PUBLIC model {

// Of the JSON that is told of models, and of every answer of the tool: it changes when a key is
// removed or means something else.
inline constexpr int64_t json_version = 1;

// Tokens a component was trained on, and those its file says it may read.
struct Lengths {
  std::optional<int64_t> trained{}, usable{};
};
Lengths lengths(const Component& part);

// The frequencies and factors of a rotary component for a text of some length.
struct Rotation {
  int64_t length = 0;                 // 0 where its length rule does not ask
  std::vector<double> frequencies{};  // of each pair, radians per position
  double cos_sin_factor = 1, softmax_factor = 1;

  int64_t rotating() const;                  // pairs whose frequency is not 0
  double longest() const;                    // wavelength of the slowest pair that rotates
  int64_t unfinished(int64_t within) const;  // those that complete no turn within so many tokens
};
// Nothing for a component that is not rotary, learns its frequencies, or is described only. The
// length is the usable one unless given.
std::optional<Rotation> rotation(const Component& part, std::optional<int64_t> length = {});

// The scheme of posenc that a component is, with its options; nothing where it is described only.
std::optional<SchemeInfo> scheme_info(const Component& part);

struct ExplainOptions {
  std::optional<int64_t> length{};  // tokens of the text, for length rules that ask for it
  bool frequencies = false;         // of every pair too
};
// Everything that is known of the model, as `posenc explain --json` prints it.
std::string explain_json(const Model& model, const ExplainOptions& options = {});

// Notes that someone should look at, and traps that are none of them: those are true of a correct
// model too.
struct Findings {
  std::vector<Note> findings{}, traps{};
};
struct LintOptions {
  std::vector<NoteKind> kinds{};  // of findings; empty: conflict and ignored, and traps are told
  bool strict = false;            // traps are findings too
};
Findings lint(const Model& model, const LintOptions& options = {});
// The same, as `posenc lint --json` prints it.
std::string lint_json(const Model& model, const LintOptions& options = {});

}  // namespace model
}  // namespace posenc
