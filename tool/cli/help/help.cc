// help.cc: explanations as text of 80 columns.
#include "cli/help/help.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/arguments.h"
#include "cli/options.h"
#include "posenc/posenc.h"

namespace posenc::cli {
namespace {

constexpr size_t line_width = 80;

// "  name  text", where long text goes on below itself, and begins there below a long name.
std::string entry(const std::string& name, const std::string& text, size_t width) {
  const std::string between = name.size() > width ? fmt::format("\n{:<{}}", "", width + 2) : "";
  return fmt::format("  {:<{}}{}  {}\n", name, width, between, wrapped(text, width + 4));
}

std::string placeholder(const Option& option) {
  switch (option.kind) {
    case OptionKind::boolean:
      return option.value == Value(true) ? " false" : "";
    case OptionKind::integer:
      return " N";
    case OptionKind::number:
      return " X";
    case OptionKind::list:
      return " X,X,...";
    case OptionKind::choice:
      return " NAME";
    case OptionKind::text:
      break;
  }
  return " TEXT";
}

Entry describe_option(const Option& option) {
  std::string text = option.help;
  if (!option.choices.empty()) text += ": " + join(option.choices, ", ");
  const std::string value = text::write(option.value);
  if (!value.empty() && option.kind != OptionKind::boolean)
    text += fmt::format(" (default: {})", value);
  return {"--" + option.name + placeholder(option), text};
}

// "name   text" of a line, or its text alone; where the text begins.
struct Line {
  std::string text;
  size_t indent = 0;
};

Line read_line(std::string_view line) {
  const size_t name = std::min(line.find_first_not_of(' '), line.size());
  const size_t gap = line.find("  ", name);
  const size_t text = gap == line.npos ? name : line.find_first_not_of(' ', gap);
  return {std::string(line), gap == line.npos ? 0 : text};
}

std::string options_text(const std::vector<Option>& options) {
  return entries(option_entries(options));
}

std::string examples_text(const std::vector<std::string>& examples) {
  std::string out = "\nexamples:\n";
  for (const auto& example : examples) out += example_text(example);
  return out;
}

std::string head(const Command& command, std::string_view takes) {
  return fmt::format("posenc {}{}{} [options]\n\n{}\n\n{}", command.name, takes.empty() ? "" : " ",
                     takes, wrapped(std::string(command.help), 0), filled(command.about));
}

std::string own_options(std::vector<Option> options) {
  for (const Option& option : common_options()) options.push_back(option);
  return "\noptions:\n" + options_text(options);
}

// The scheme small enough to read: with few columns where it has that option, and with what must
// be chosen, for which a preset has a choice of its own.
std::vector<std::string> scheme_examples(const Command& command, const SchemeInfo& scheme) {
  std::string small, chosen;
  for (const Option& option : scheme.options) {
    if (option.name == "dim") small = " --dim 8";
    if (option.kind == OptionKind::choice && option.value == Value())
      chosen += fmt::format(" --{} {}", option.name, option.choices[0]);
  }
  const std::string_view verb = reads_content(scheme.name) ? "list" : command.name;
  const std::string start = fmt::format("posenc {} {}", verb, scheme.name);
  const auto& preset = scheme.presets[scheme.presets.size() > 1 ? 1 : 0].name;
  return {start + chosen + small, start + " --preset " + preset + small};
}

// How much of a word longer than a line fits one: up to where a list or a name has a joint.
size_t fitting_part(std::string_view word, size_t room) {
  for (const char* joints : {",", "./", "_"})
    if (const size_t at = word.find_last_of(joints, room - 1); at != word.npos && at > room / 2)
      return at + 1;
  while (room > 1 && (static_cast<unsigned char>(word[room]) & 0xC0) == 0x80) --room;  // UTF-8
  return room;
}

}  // namespace

std::string wrapped(const std::string& text, size_t indent) {
  std::string out;
  size_t used = indent;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size()), room = line_width - indent;
    if (used > indent && used + 1 + (end - at) > line_width) {
      out.append("\n").append(indent, ' ');
      used = indent;
    } else if (used > indent) {
      out += ' ', ++used;
    }
    for (; end - at > room; out.append("\n").append(indent, ' ')) {
      const size_t part = fitting_part(std::string_view(text).substr(at), room);
      out.append(text, at, part), at += part;
    }
    out.append(text, at, end - at), used += end - at;
    at = end + 1;
  }
  return out;
}

std::string filled(std::string_view text) {
  std::string out, paragraph;
  size_t indent = 0;
  const auto finish = [&] {
    if (paragraph.empty()) return;
    const std::string start = paragraph.substr(0, indent);
    out += start + wrapped(paragraph.substr(indent), indent) + "\n";
    paragraph.clear(), indent = 0;
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const Line line = read_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool continues = indent > 0 ? line.text.starts_with(std::string(indent, ' '))
                                      : !paragraph.empty() && line.indent == 0;
    if (line.text.empty() || !continues) finish();
    if (line.text.empty()) out += "\n";
    if (paragraph.empty()) {
      paragraph = line.text, indent = line.indent;
    } else {
      paragraph += " " + line.text.substr(std::min(line.text.find_first_not_of(' '), end));
    }
  }
  finish();
  return out;
}

std::string entries(const std::vector<Entry>& list, size_t most) {
  size_t width = 0;
  for (const Entry& e : list) width = std::max(width, e.name.size());
  std::string out;
  for (const Entry& e : list) out += entry(e.name, e.text, std::min(width, most));
  return out;
}

std::string example_text(std::string_view example) {
  std::string out = "  ";
  size_t used = 2;
  while (!example.empty()) {
    const size_t end = std::min(example.find(" --", 1), example.size());
    if (used + end > line_width - 2 && used > 6) out += " \\\n     ", used = 5;
    out += example.substr(0, end), used += end;
    example.remove_prefix(end);
  }
  return out + "\n";
}

std::string scheme_text(const SchemeInfo& scheme) {
  std::vector<Entry> presets;
  for (const auto& preset : scheme.presets) presets.push_back({preset.name, preset.help});
  std::vector<std::string> learned;
  for (const Weight& weight : scheme.weights) learned.push_back(weight.name);
  const std::string facts =
      fmt::format("family {}, acts on the {}, learned: {}", scheme.family, scheme.acts_on,
                  learned.empty() ? "nothing" : join(learned, ", "));
  return fmt::format("{}\n{}\nused by {}\n\noptions of {}:\n{}\n",
                     wrapped(scheme.name + ": " + scheme.about, 0), wrapped(facts, 0),
                     wrapped(scheme.used_by, 8), scheme.name, options_text(scheme.options)) +
         fmt::format("presets of {}, chosen with --preset NAME and refined by options:\n{}",
                     scheme.name, entries(presets));
}

std::vector<Entry> option_entries(const std::vector<Option>& options) {
  std::vector<Entry> list;
  std::vector<std::string> with;
  for (const Option& option : options) {
    const Entry e = describe_option(option);
    const auto same = std::find_if(list.begin(), list.end(), [&](const Entry& other) {
      return other.name == e.name && other.text == e.text;
    });
    if (same != list.end()) {
      with[static_cast<size_t>(same - list.begin())] += ", " + option.only_with.choice;
    } else {
      const auto& [other, choice] = option.only_with;
      list.push_back(e), with.push_back(other.empty() ? "" : other + " " + choice);
    }
  }
  for (size_t i = 0; i < list.size(); ++i)
    if (!with[i].empty()) list[i].text += fmt::format(" [with --{}]", with[i]);
  return list;
}

std::vector<Option> options_with(const Command& command, const SchemeInfo& scheme) {
  std::vector<Option> out;
  for (const Option& own : command.options) {
    const bool taken = std::any_of(scheme.options.begin(), scheme.options.end(),
                                   [&](const Option& other) { return other.name == own.name; });
    if (!taken && is_read_by(own, scheme)) out.push_back(own);
  }
  return out;
}

std::string command_help(const Command& command) {
  std::string out = head(command, command.takes.words) + own_options(command.options);
  if (command.takes.scheme) {
    std::vector<Entry> list;
    for (const SchemeInfo& scheme : known_schemes(command.name))
      list.push_back({scheme.name, scheme.about});
    out += "\nschemes:\n" + entries(list) +
           fmt::format("'posenc {} {} --help' lists the options of a scheme.\n", command.name,
                       list[0].name);
  }
  return out + examples_text({command.examples.begin(), command.examples.end()});
}

std::string scheme_help(const Command& command, const SchemeInfo& scheme) {
  return head(command, scheme.name) + "\n" + scheme_text(scheme) +
         own_options(options_with(command, scheme)) +
         examples_text(scheme_examples(command, scheme));
}

std::string tool_help() {
  std::vector<Entry> list;
  for (const Command& command : commands())
    list.push_back({std::string(command.name), std::string(command.help)});
  return "posenc " POSENC_VERSION
         ": positional encodings for Transformers\n\n"
         "usage: posenc COMMAND [options]\n\n" +
         entries(list) +
         "\n'posenc COMMAND --help' explains a command, 'posenc table rope --help' a scheme,\n"
         "'posenc --version' prints the version.\n"
         "Exit codes: 0 success, 1 a bad file or finding, 2 a bad command line.\n" +
         examples_text({"posenc demo", "posenc table sinusoidal --dim 8 --positions 0:4",
                        "posenc show sinusoidal --kind heatmap --dim 64"});
}

}  // namespace posenc::cli
