// choose.cc: posenc choose.
#include <fmt/core.h>

#include <algorithm>
#include <iostream>

#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/json.h"
#include "cli/options.h"

namespace posenc::cli {
namespace {

enum class Task : uint8_t { generate, understand, retrieve, order };
constexpr auto enum_names(Task) { return names({"generate", "understand", "retrieve", "order"}); }
enum class Modality : uint8_t { text, image, audio, graph, points };
constexpr auto enum_names(Modality) { return names({"text", "image", "audio", "graph", "points"}); }
enum class Answer : uint8_t { no, yes };
constexpr auto enum_names(Answer) { return names({"no", "yes"}); }

// A row of a table of the lab: a scheme with its mean, and the deviation between seeds.
struct Measured {
  std::string_view scheme;
  double mean, deviation;
};

// One column of a table, best first; seeds: in how many runs each row was measured.
struct Evidence {
  std::string_view table, column, unit, command;
  int seeds = 0;
  std::vector<Measured> rows;
};

// What is advised in a case; an empty task stands for all, an empty answer for both.
struct Advice {
  std::string_view modality, task, extrapolate, scheme, why, then;
  Evidence evidence;
};

// What to mind from a length on.
struct Caution {
  std::string_view modality, scheme;
  int64_t length;
  std::string_view text;
  Evidence evidence;
};

#include "cli/help/choose_data.inc"

struct ChooseOptions {
  std::optional<Task> task{};
  std::optional<Modality> modality{};
  std::optional<int64_t> length{};
  std::optional<Answer> extrapolate{};
  bool json = false;

  static Fields fields() {
    using S = ChooseOptions;
    return {{"modality", &S::modality, "what the model reads"},
            {"task", &S::task,
             "generate: a decoder; understand: an encoder; retrieve: find text far back; "
             "order: tasks such as copying, adding, counting"},
            {"length", &S::length, "the longest input, in tokens or patches"},
            {"extrapolate", &S::extrapolate, "whether inputs are longer than those trained on"},
            {"json", &S::json, "the advice and the measurement behind it, as JSON"}};
  }
};

struct Question {
  std::string name, text;
  std::vector<std::string> choices{};
};

// An answer from the standard input.
std::string answer_to(const Question& question) {
  const std::string those = question.choices.empty() ? "a number" : join(question.choices, ", ");
  print_error(fmt::format("{} ({}) ", question.text, those));
  std::string line;
  if (!std::getline(std::cin, line))
    refuse("expected --", question.name, ", ", those,
           ", or an answer to its question, got neither");
  line.erase(0, line.find_first_not_of(" \t"));
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line;
}

// Asks for what no option says. A wrong answer is refused before the next question.
Call with_answers(Call call) {
  const Question questions[] = {
      {"modality", "What does the model read?", enum_choices<Modality>()},
      {"task", "What should it do?", enum_choices<Task>()},
      {"length", "How long is the longest input?"},
      {"extrapolate", "Are inputs longer than those trained on?", enum_choices<Answer>()}};
  static_cast<void>(read_options<ChooseOptions>(call));
  for (const Question& question : questions) {
    if (given(call.own, question.name)) continue;
    call.own.emplace_back(question.name, answer_to(question));
    static_cast<void>(read_options<ChooseOptions>(call));
  }
  return call;
}

bool matches(std::string_view pattern, std::string_view word) {
  return pattern.empty() || pattern == word;
}

std::string value_text(const Measured& row) {
  return row.deviation > 0 ? fmt::format("{:.3f} ± {:.3f}", row.mean, row.deviation)
                           : fmt::format("{:.3f}", row.mean);
}

Json evidence_json(const Evidence& evidence) {
  if (evidence.rows.empty()) return nullptr;
  files::JsonList rows;
  for (const Measured& row : evidence.rows)
    rows.push_back({{"scheme", row.scheme}, {"mean", row.mean}, {"deviation", row.deviation}});
  return {{"table", evidence.table},     {"column", evidence.column}, {"unit", evidence.unit},
          {"command", evidence.command}, {"seeds", evidence.seeds},   {"rows", rows}};
}

std::string evidence_text(const Evidence& evidence, std::string_view scheme) {
  if (evidence.rows.empty()) return "  not measured by the lab\n";
  const std::string head =
      fmt::format("{}, column {}: {}", evidence.table, evidence.column, evidence.unit);
  std::string out = "  " + wrapped(head, 2) + "\n";
  for (const Measured& row : evidence.rows)
    out += fmt::format("  {} {:<24} {}\n", row.scheme == scheme ? ">" : " ", row.scheme,
                       value_text(row));
  return out + fmt::format("  {} {}: {}\n", evidence.seeds, evidence.seeds == 1 ? "seed" : "seeds",
                           evidence.command);
}

void run_choose(const Call& asked_for) {
  const Call call = with_answers(asked_for);
  const auto options = read_options<ChooseOptions>(call);
  if (*options.length < 1) refuse("expected --length of at least 1, got ", *options.length);
  const std::string modality = std::string(enum_name(*options.modality));
  const auto found = std::find_if(advices.begin(), advices.end(), [&](const Advice& advice) {
    return matches(advice.modality, modality) && matches(advice.task, enum_name(*options.task)) &&
           matches(advice.extrapolate, enum_name(*options.extrapolate));
  });
  std::vector<Caution> minded;
  for (const Caution& caution : cautions)
    if (matches(caution.modality, modality) && matches(caution.scheme, found->scheme) &&
        *options.length >= caution.length)
      minded.push_back(caution);
  if (options.json) {
    files::JsonList notes;
    for (const Caution& caution : minded)
      notes.push_back({{"text", caution.text}, {"evidence", evidence_json(caution.evidence)}});
    print(answer({{"modality", modality},
                  {"task", enum_name(*options.task)},
                  {"length", *options.length},
                  {"extrapolate", *options.extrapolate == Answer::yes},
                  {"advice", found->scheme},
                  {"why", found->why},
                  {"next", found->then},
                  {"evidence", evidence_json(found->evidence)},
                  {"notes", notes}}));
    return;
  }
  std::string out = fmt::format("{}\n  {}\n", found->scheme, wrapped(std::string(found->why), 2));
  out += evidence_text(found->evidence, found->scheme);
  for (const Caution& caution : minded)
    out +=
        "\n" + wrapped(std::string(caution.text), 0) + "\n" + evidence_text(caution.evidence, "");
  print(out + fmt::format("\nnext: {}\n", found->then));
}

}  // namespace

Command choose_command() {
  return {
      "choose",
      "recommend an encoding, with the measurement behind the advice",
      takes_nothing,
      "Asks four questions, or takes their answers as options: what the model reads, what it\n"
      "should do, how long its inputs are, and whether they are longer than those it was\n"
      "trained on. The advice is based on the lab's experiments (python -m posenc.lab) with\n"
      "models of 5 million parameters; docs/choosing.md has all tables, and what is not known.\n",
      options_of(ChooseOptions{}),
      {"posenc choose --modality text --task generate --length 4096 --extrapolate no",
       "posenc choose --modality image --task understand --length 196 --extrapolate yes "
       "--json"},
      run_choose};
}

}  // namespace posenc::cli
