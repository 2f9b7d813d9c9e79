// completion.cc: posenc completion.
#include <fmt/core.h>

#include <algorithm>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/options.h"
#include "posenc/posenc.h"

namespace posenc::cli {
namespace {

// What the shells ask, as functions that both understand: a case for each answer.
class Cases {
 public:
  Cases(std::string_view name, std::string_view about, std::string_view subject)
      : text_(fmt::format("{}() {{  # {}\n  case \"{}\" in\n", name, about, subject)) {}
  // patterns: as the shell reads them, between '|'.
  void add(const std::string& patterns, const std::vector<std::string>& answers) {
    if (!answers.empty()) text_ += fmt::format("  {}) echo {} ;;\n", patterns, join(answers, " "));
  }
  std::string text() const { return text_ + "  esac\n}\n"; }

 private:
  std::string text_;
};

// A pattern for each name of a scheme: the text around it, as the shell reads it.
std::string patterns(const SchemeInfo& scheme, std::string_view before, std::string_view after) {
  std::vector<std::string> out = names_of_scheme(scheme.name);
  for (std::string& name : out) name = fmt::format("{}{}{}", before, name, after);
  return join(out, "|");
}

std::vector<std::string> command_names() {
  std::vector<std::string> out;
  for (const Command& command : commands()) out.emplace_back(command.name);
  return out;
}

// What may stand after a command instead of an option.
std::vector<std::string> words_after(const Command& command) {
  return command.takes.scheme ? scheme_names(command.name) : command.words;
}

std::string words_cases() {
  Cases out("_posenc_words", "COMMAND: what may follow", "$1");
  auto first = command_names();
  out.add("help", first);
  first.insert(first.end(), {"help", "--help", "--version"});
  out.add("''", first);
  for (const Command& command : commands())
    out.add(std::string(command.name), words_after(command));
  return out.text();
}

std::vector<std::string> dashed(const std::vector<Option>& options) {
  std::vector<std::string> out;
  for (const Option& option : options)
    if (std::find(out.begin(), out.end(), "--" + option.name) == out.end())
      out.push_back("--" + option.name);
  return out;
}

std::vector<Option> with_common(std::vector<Option> options) {
  for (const Option& option : common_options()) options.push_back(option);
  return options;
}

// Schemes that read the same options of a command share a case.
void add_command(Cases& cases, const Command& command) {
  const std::string name(command.name);
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const SchemeInfo& scheme : known_schemes(name)) {
    if (!command.takes.scheme) break;
    auto options = dashed(with_common(options_with(command, scheme)));
    const std::string pattern = patterns(scheme, fmt::format("'{} ", name), "'");
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.second == options; });
    if (same == groups.end()) {
      groups.emplace_back(pattern, std::move(options));
    } else {
      same->first += "|" + pattern;
    }
  }
  for (const auto& [patterns, options] : groups) cases.add(patterns, options);
  cases.add(fmt::format("'{} '*", name), dashed(with_common(command.options)));
}

std::string options_cases() {
  Cases own("_posenc_own", "COMMAND WORD: options of the command", "$1 $2");
  for (const Command& command : commands()) add_command(own, command);
  Cases of_scheme("_posenc_scheme", "SCHEME: its options", "$1");
  for (const SchemeInfo& scheme : known_schemes("list")) {
    auto names = dashed(scheme.options);
    names.insert(names.begin(), "--preset");
    of_scheme.add(patterns(scheme, "", ""), names);
  }
  return own.text() + of_scheme.text();
}

std::vector<std::string> values_of(const Option& option) {
  return option.kind == OptionKind::boolean ? std::vector<std::string>{"true", "false"}
                                            : option.choices;
}

std::string values_cases() {
  Cases out("_posenc_values", "COMMAND WORD OPTION: its values", "$1 $2 $3");
  for (const SchemeInfo& scheme : known_schemes("list")) {
    std::vector<std::string> presets;
    for (const auto& preset : scheme.presets) presets.push_back(preset.name);
    out.add(patterns(scheme, "*' ", " --preset'"), presets);
    for (const Option& option : scheme.options)
      out.add(patterns(scheme, "*' ", fmt::format(" --{}'", option.name)), values_of(option));
  }
  for (const Command& command : commands())
    for (const Option& option : command.options)
      if (option.kind == OptionKind::choice)
        out.add(fmt::format("'{} '*' --{}'", command.name, option.name), option.choices);
  return out.text();
}

// What both shells do with the words of the line, which each calls by other names.
constexpr std::string_view reply =
    R"(_posenc_reply() {  # CURRENT COMMAND WORDS...: what may stand here
  local current=$1 command=$2 word= previous= known= values=
  known=" $(_posenc_words "$command") "
  shift 2
  for previous in "$@"; do
    [[ -n $word || $known != *" $previous "* ]] || word=$previous
  done
  [[ $previous != --* ]] || values=$(_posenc_values "$command" "$word" "$previous")
  if [[ $current == -* ]]; then
    echo $(_posenc_own "$command" "$word") $([[ $known != *" sinusoidal "* ]] || _posenc_scheme "$word")
  elif [[ -n $values ]]; then
    echo $values
  elif [[ -z $word && $previous != --* ]]; then
    echo $known
  fi
}
)";

constexpr std::string_view bash_end = R"(_posenc() {
  local current=${COMP_WORDS[COMP_CWORD]} replies
  if ((COMP_CWORD == 1)); then
    replies=$(_posenc_words '')
  else
    replies=$(_posenc_reply "$current" "${COMP_WORDS[@]:1:COMP_CWORD-1}")
  fi
  COMPREPLY=($(compgen -W "$replies" -- "$current"))
}
complete -o default -F _posenc posenc
)";

constexpr std::string_view zsh_end = R"(_posenc() {
  local replies
  if ((CURRENT == 2)); then
    replies=$(_posenc_words '')
  else
    replies=$(_posenc_reply "$words[CURRENT]" "${(@)words[2,CURRENT-1]}")
  fi
  if [[ -n $replies ]]; then compadd -- ${=replies}; else _files; fi
}
_posenc "$@"
)";

std::string data() { return words_cases() + options_cases() + values_cases() + std::string(reply); }

void run_completion(const Call& call) {
  const std::string& shell = call.words[0];
  if (shell == "bash")
    print(fmt::format("# Completion of posenc {} in bash, made by posenc completion bash.\n{}{}",
                      POSENC_VERSION, data(), bash_end));
  else if (shell == "zsh")
    print(fmt::format("#compdef posenc\n# posenc {}, made by posenc completion zsh.\n{}{}",
                      POSENC_VERSION, data(), zsh_end));
  else
    refuse("unknown shell '", shell, "'", suggestion(shell, {"bash", "zsh"}));
}

}  // namespace

Command completion_command() {
  return {"completion",
          "completion of commands, schemes, options and values for a shell",
          takes_one("SHELL"),
          "SHELL is bash or zsh. `cmake --install` puts both scripts where the shells look for\n"
          "them. For one session of bash: source <(posenc completion bash). For zsh, save the\n"
          "output as _posenc in a folder of $fpath.\n",
          {},
          {"posenc completion bash", "posenc completion zsh > _posenc"},
          run_completion,
          {"bash", "zsh"}};
}

}  // namespace posenc::cli
