// lint.cc: posenc lint.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "cli/console.h"
#include "cli/json.h"
#include "cli/models/explain.h"
#include "cli/options.h"
#include "posenc/model/explain.h"

namespace posenc::cli {
namespace {

using model::Note;
using model::NoteKind;

struct LintOptions {
  std::string kinds{};
  bool strict = false, json = false;

  static Fields fields() {
    using S = LintOptions;
    return {{"kinds", &S::kinds,
             "kinds of notes that count as findings: trap, conflict, ignored, assumed, unused "
             "(default: conflict,ignored)"},
            {"strict", &S::strict, "count traps as findings too"},
            {"json", &S::json, "findings and traps as JSON"}};
  }
};

std::vector<NoteKind> read_kinds(const std::string& text) {
  std::vector<NoteKind> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    const auto choices = enum_choices<NoteKind>();
    const auto found = std::find(choices.begin(), choices.end(), word);
    if (found == choices.end()) refuse("unknown kind '", word, "'", suggestion(word, choices));
    out.push_back(static_cast<NoteKind>(found - choices.begin()));
    at = end + 1;
  }
  return out;
}

// "3 findings: 1 conflict, 2 ignored"
std::string summary(const std::vector<Note>& findings) {
  std::map<NoteKind, int> counts;
  for (const Note& note : findings) ++counts[note.kind];
  std::vector<std::string> each;
  for (const auto& [kind, count] : counts)
    each.push_back(fmt::format("{} {}", count, enum_name(kind)));
  return fmt::format("{} {}: {}", findings.size(), findings.size() == 1 ? "finding" : "findings",
                     join(each, ", "));
}

void run_lint(const Call& call) {
  const auto options = read_options<LintOptions>(call);
  model::LintOptions which{.strict = options.strict};
  if (!options.kinds.empty()) which.kinds = read_kinds(options.kinds);
  const model::Model model = read_model(call.words[0]);
  const auto [findings, traps] = model::lint(model, which);
  std::string text;
  for (const auto* notes : {&findings, &traps})
    for (const Note& note : *notes) text += note_text(note);
  print(options.json ? dump(lint_tree(model, which)) : text);
  if (!findings.empty()) fail(ErrorKind::data, "lint", path_text(model), ": ", summary(findings));
}

}  // namespace

Command lint_command() {
  return {"lint",
          "check a model's files for keys that conflict or are ignored; exit code 1 on findings",
          takes_one("MODEL"),
          "For automatic checks of model repositories. Prints the notes of posenc explain that\n"
          "someone should look at. Conflicts and ignored keys are findings: the exit code is 1\n"
          "if there are any and 0 otherwise. A key that is ignored counts if someone may have set\n"
          "it to change something: not if it has the value that the model's class writes into\n"
          "every file (posenc explain reports those as unused). Traps (what engines and people\n"
          "get wrong with models of that family) are printed too, but count only with --strict,\n"
          "because correct models have them as well.\n",
          options_of(LintOptions{}),
          {R"(posenc lint '{"model_type": "gpt_oss"}')",
           R"(posenc lint '{"model_type": "llama", "rope_theta": 500000}' --strict --json)"},
          run_lint};
}

}  // namespace posenc::cli
