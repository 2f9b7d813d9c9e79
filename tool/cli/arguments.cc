// arguments.cc: CLI11 splits the command line; the fields of commands and schemes say what is on
// it.
#include "arguments.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "error.h"
#include "hints.h"
#include "models.h"
#include "notes.h"
#include "options.h"
#include "search.h"

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
  if (!command.takes_scheme()) return all;
  for (const Option& option : scheme_options(command.name))
    if (!find(all, option.name)) all.push_back(option);
  return all;
}

// A boolean may stand without a value: "--json" means "--json=true".
std::vector<std::string> with_values(std::vector<std::string> arguments,
                                     const std::vector<Option>& options) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string& argument = arguments[i];
    if (argument == "--") break;
    if (argument == "-h") argument = "--help";
    const Option* option = argument.starts_with("--") ? find(options, argument.substr(2)) : nullptr;
    if (argument.starts_with("--") && argument.ends_with("="))
      refuse("expected a value after ", argument, ", got nothing");
    if (!option) continue;
    const bool last = i + 1 == arguments.size();
    if (option->kind != OptionKind::boolean) {
      if (last) refuse("expected a value after ", argument, ", got the end of the line");
      ++i;
    } else if (last || (arguments[i + 1] != "true" && arguments[i + 1] != "false")) {
      argument += "=true";
    }
  }
  return arguments;
}

void check_words(const Command& command, const Call& call) {
  const std::string_view takes = command.takes;
  const auto most =
      static_cast<size_t>(takes.empty() ? 0 : 1 + std::count(takes.begin(), takes.end(), ' '));
  const size_t least = takes.starts_with('[') ? 0 : most;
  if (call.words.size() > most)
    refuse(command.name, " expected ",
           most == 0 ? "only options" : (most == 1 ? "one " : "") + std::string(takes), ", got '",
           call.words[most], "'",
           find(all_options(command), call.words[most])
               ? "; did you mean '--" + call.words[most] + "'?"
               : "");
  if (call.words.size() < least && !call.help)
    refuse(command.name, " expected a ", command.takes, ", got ",
           call.words.empty() ? "none" : "one alone", "; 'posenc ", command.name,
           " --help' explains it");
}

void split(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    for (std::string& word : arguments)  // CLI11 would take [] for a list of no words
      if (word.starts_with('[') && word.ends_with(']')) word.insert(0, " ");
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
}

std::optional<std::string> value_of(const CLI::App& app, const Option& option) {
  const auto& values = app.get_option("--" + option.name)->results();
  if (values.empty()) return {};
  if (values.size() > 1)
    refuse("expected --", option.name, " once, got it ", values.size(), " times");
  if (values[0].empty()) refuse("expected a value after --", option.name, ", got nothing");
  return values[0];
}

// The scheme that was named, where there is one of that name.
std::optional<SchemeInfo> named_scheme(const Command& command, const Call& call) {
  if (!command.takes_scheme() || call.words.empty()) return {};
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
  if (!command.takes_scheme() || call.words.empty()) return;
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
void use_model(const CLI::App& app, Call& call) {
  Call given;
  for (const Option& option : options_of(ModelOptions{}))
    if (const auto value = value_of(app, option)) given.own.emplace_back(option.name, *value);
  const auto options = read_options<ModelOptions>(given);
  if (given.own.empty()) return;
  if (options.model.empty()) refuse("expected --model beside --", given.own[0].first, ", got none");
  if (!call.words.empty())
    refuse("expected a SCHEME or --model, got both: ", call.words[0], " and ", options.model);
  const auto typed_one = [&](const std::string& name) {
    const auto* option = app.get_option_no_throw("--" + name);
    return !option || option->count() > 0;  // a command without such an option needs none
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
        refuse("expected ", readers_of(*option), " beside --", given.first, ", got ", scheme->name);
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
  Call call;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_option("words", call.words);
  for (const Option& option : options)
    app.add_option("--" + option.name)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  split(app, with_values(arguments, options));
  use_alias(command, call);
  if (const auto rest = app.remaining(); !rest.empty()) refuse_unknown(rest[0], command, call);
  if (command.takes == "SCHEME") use_model(app, call);
  for (const Option& option : options) {
    const auto value = value_of(app, option);
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
