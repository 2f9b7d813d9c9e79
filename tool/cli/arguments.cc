// arguments.cc: the command line, split by what the fields of commands and schemes say is on it.
#include "cli/arguments.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/other_names.h"
#include "cli/error.h"
#include "cli/help/hints.h"
#include "cli/help/search.h"
#include "cli/models/models.h"
#include "cli/options.h"
#include "cli/schemes/notes.h"

namespace posenc::cli {
namespace {

const Option* find(const std::vector<Option>& options, std::string_view name) {
  const auto at = std::find_if(options.begin(), options.end(),
                               [&](const Option& option) { return option.name == name; });
  return at == options.end() ? nullptr : &*at;
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> all = command.options;
  const auto append = [&](const std::vector<Option>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(common_options());
  if (!command.takes.scheme) return all;
  for (const Option& option : scheme_options(command.name))
    if (!find(all, option.name)) all.push_back(option);
  return all;
}

// A line in pieces: options with what they were given, and words; `unknown` is the first option
// that does not exist.
struct Arguments {
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::string> words;
  std::optional<std::string> unknown;
};

// A word that begins with a dash, but for "-" itself and numbers below 0.
bool is_option(std::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-') return false;
  return argument[1] != '.' && (argument[1] < '0' || argument[1] > '9');
}

// "--name value" and "--name=value"; a boolean may stand alone: "--json" means "--json=true".
Arguments split(const std::vector<std::string>& arguments, const std::vector<Option>& options) {
  Arguments line;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i] == "-h" ? "--help" : arguments[i];
    if (argument == "--") {
      line.words.insert(line.words.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    if (!is_option(argument)) {
      line.words.push_back(argument);
      continue;
    }
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals);
    const Option* option = name.starts_with("--") ? find(options, name.substr(2)) : nullptr;
    const std::string* next = i + 1 < arguments.size() ? &arguments[i + 1] : nullptr;
    if (!option) {
      if (!line.unknown) line.unknown = argument;
    } else if (equals < argument.size()) {
      if (equals + 1 == argument.size())
        refuse("expected a value after ", argument, ", got nothing");
      line.options.emplace_back(option->name, argument.substr(equals + 1));
    } else if (option->kind == OptionKind::boolean) {
      const bool given = next && (*next == "true" || *next == "false");
      line.options.emplace_back(option->name, given ? *next : "true");
      i += given;
    } else {
      if (!next) refuse("expected a value after ", name, ", got the end of the line");
      if (next->starts_with("--") && find(options, next->substr(2)))
        refuse("expected a value after ", name, ", got ", *next);
      line.options.emplace_back(option->name, *next);
      ++i;
    }
  }
  return line;
}

std::optional<std::string> value_of(const Arguments& line, const std::string& name) {
  std::vector<std::string> values;
  for (const auto& [option, value] : line.options)
    if (option == name) values.push_back(value);
  if (values.empty()) return {};
  if (values.size() > 1) refuse("expected --", name, " once, got it ", values.size(), " times");
  if (values[0].empty()) refuse("expected a value after --", name, ", got nothing");
  return values[0];
}

void check_words(const Command& command, const Call& call) {
  const auto [words, least, most, scheme] = command.takes;
  if (call.words.size() > most)
    refuse(command.name, " expected ",
           most == 0 ? "only options" : (most == 1 ? "one " : "") + std::string(words), ", got '",
           call.words[most], "'",
           find(all_options(command), call.words[most])
               ? "; did you mean '--" + call.words[most] + "'?"
               : "");
  if (call.words.size() < least && !call.help)
    refuse(command.name, " expected ", most == 1 ? "a " : "", words, ", got ",
           call.words.empty() ? "none" : "one alone", "; 'posenc ", command.name,
           " --help' explains it");
}

// The scheme that was named, where there is one of that name.
std::optional<SchemeInfo> named_scheme(const Command& command, const Call& call) {
  if (!command.takes.scheme || call.words.empty()) return {};
  for (SchemeInfo& scheme : known_schemes(command.name))
    if (scheme.name == call.words[0]) return std::move(scheme);
  return {};
}

// Where a scheme has an option of the same name as the command, that of the scheme is meant.
bool is_own(const Command& command, const Call& call, const std::string& name) {
  if (!find(command.options, name) && !find(common_options(), name)) return false;
  const auto scheme = named_scheme(command, call);
  return !scheme || !find(scheme->options, name);
}

// Suggests only what the command and the scheme that was named have.
[[noreturn]] void refuse_unknown(const std::string& argument, const Command& command,
                                 const Call& call) {
  const auto scheme = named_scheme(command, call);
  std::vector<std::string> names;
  for (const Option& option : all_options(command))
    if (!scheme || find(command.options, option.name) || find(common_options(), option.name) ||
        find(scheme->options, option.name) || option.name == "preset")
      names.push_back(option.name);
  const std::string name = argument.substr(0, argument.find('='));
  const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  const std::string_view ours = option_called(bare);
  const bool known = std::find(names.begin(), names.end(), ours) != names.end();
  const std::string near = known ? std::string(ours) : closest(bare, names);
  refuse("unknown option '", name, "'",
         near.empty() ? "; --help lists what exists" : "; did you mean '--" + near + "'?");
}

// A scheme by another name: what that stands for goes before all options.
void use_alias(const Command& command, Call& call) {
  if (!command.takes.scheme || call.words.empty()) return;
  call.words[0] = as_spelled(command.name, call.words[0]);
  const auto all = known_aliases(command.name);
  const auto alias =
      std::find_if(all.begin(), all.end(), [&](const Alias& a) { return a.name == call.words[0]; });
  if (alias == all.end()) return;
  call.words[0] = alias->scheme;
  // A list tells what there is: a rule alone is no whole scheme.
  if (command.name == "list" && !alias->option.empty() && alias->option != "preset")
    return note(
        fmt::format("{}: {} --{} {}", alias->name, alias->scheme, alias->option, alias->value));
  if (!alias->option.empty()) call.scheme.emplace_back(alias->option, alias->value);
}

// What was typed stands for itself.
void set_scheme_option(Call& call, const std::string& name, const std::string& value) {
  std::erase_if(call.scheme, [&](const auto& given) { return given.first == name; });
  call.scheme.emplace_back(name, value);
}

// Takes the scheme of the model that was given, if any.
void use_model(const Command& command, const Arguments& line, Call& call) {
  Call given;
  for (const Option& option : options_of(ModelOptions{}))
    if (const auto value = value_of(line, option.name)) given.own.emplace_back(option.name, *value);
  const auto options = read_options<ModelOptions>(given);
  if (given.own.empty()) return;
  if (options.model.empty()) refuse("expected --model with --", given.own[0].first, ", got none");
  if (!call.words.empty())
    refuse("expected a SCHEME or --model, got both: ", call.words[0], " and ", options.model);
  const auto typed_one = [&](const std::string& name) {  // a command without the option needs none
    return !find(all_options(command), name) || value_of(line, name);
  };
  ModelScheme scheme = scheme_of_model(options.model, options.part, options.layer,
                                       typed_one("weights") || typed_one("seed"));
  call.words.push_back(std::move(scheme.name));
  call.scheme = std::move(scheme.options);
  if (!scheme.weights.empty()) {
    call.own.emplace_back("weights", scheme.weights);
    call.own.emplace_back("weights_tensor", scheme.tensor);
  }
  if (scheme.length && !typed_one("length"))
    call.own.emplace_back("length", text::write(*scheme.length));
}

// Throws a usage error for an option of the command that the scheme does not read.
void check_readers(const Command& command, const Call& call) {
  const auto scheme = named_scheme(command, call);
  if (!scheme || call.help) return;
  for (const auto& given : call.own)
    if (const Option* option = find(command.options, given.first))
      if (!is_read_by(*option, *scheme))
        refuse("expected ", readers_of(*option), " with --", given.first, ", got ", scheme->name);
}

}  // namespace

std::vector<Option> common_options() { return options_of(CommonOptions{}); }

std::vector<Option> scheme_options(std::string_view command) {
  std::vector<Option> all{{"preset", OptionKind::choice, "start from a named value"}};
  for (const SchemeInfo& scheme : known_schemes(command))
    for (const Option& option : scheme.options)
      if (!find(all, option.name)) all.push_back(option);
  return all;
}

Call parse(const Command& command, const std::vector<std::string>& arguments) {
  const auto options = all_options(command);
  const Arguments line = split(arguments, options);
  Call call;
  call.words = line.words;
  use_alias(command, call);
  if (line.unknown) refuse_unknown(*line.unknown, command, call);
  if (command.takes.scheme && command.takes.least == 1) use_model(command, line, call);
  for (const Option& option : options) {
    const auto value = value_of(line, option.name);
    if (!value) continue;
    if (is_own(command, call, option.name)) {
      call.own.emplace_back(option.name, *value);
    } else {
      set_scheme_option(call, option.name, *value);
    }
  }
  call.help = read_options<CommonOptions>(call).help;
  check_words(command, call);
  check_readers(command, call);
  return call;
}

}  // namespace posenc::cli
