// man.cc: posenc man.
#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/options.h"
#include "posenc/posenc.h"

namespace posenc::cli {
namespace {

// Text as roff prints it: no sign in it is taken for a request.
std::string roff(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || text[i - 1] == '\n';
    if (starts && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else {
      if (text[i] == '-') out += '\\';
      out += text[i];
    }
  }
  return out;
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", title); }
std::string subsection(std::string_view title) { return fmt::format(".SS \"{}\"\n", roff(title)); }
// Lines that stay as they are.
std::string lines(std::string_view text) { return fmt::format(".PP\n.nf\n{}.fi\n", roff(text)); }

std::string man_entries(const std::vector<Entry>& list) {
  std::string out;
  for (const Entry& e : list) out += fmt::format(".TP\n.B {}\n{}\n", roff(e.name), roff(e.text));
  return out;
}

std::string examples(const std::vector<std::string_view>& all) {
  std::string text;
  for (const auto example : all) text += example_text(example);
  return lines(text);
}

std::string command_page(const Command& command) {
  const std::string takes = command.takes.most == 0 ? "" : fmt::format(" {}", command.takes.words);
  return subsection(fmt::format("posenc {}{} [options]", command.name, takes)) +
         roff(command.help) + "\n" + (command.about.empty() ? "" : lines(filled(command.about))) +
         man_entries(option_entries(command.options)) + examples(command.examples);
}

std::string scheme_page(const SchemeInfo& scheme) {
  std::vector<Entry> presets;
  for (const auto& preset : scheme.presets)
    presets.push_back({"--preset " + preset.name, preset.help});
  return subsection(scheme.name) +
         roff(fmt::format("{}; family {}, acts on the {}. Used by {}.\n", scheme.about,
                          scheme.family, scheme.acts_on, scheme.used_by)) +
         man_entries(option_entries(scheme.options)) + man_entries(presets);
}

void run_man(const Call&) {
  std::string out = fmt::format(".TH POSENC 1 \"\" \"posenc {}\" \"User commands\"\n.ad l\n.nh\n",
                                POSENC_VERSION);
  out += section("NAME") + "posenc \\- positional encodings for Transformers\n";
  out += section("SYNOPSIS") + ".B posenc\n.I COMMAND\n[options]\n";
  out += section("OPTIONS") +
         "Every command has these; posenc \\-\\-version prints the version.\n" +
         man_entries(option_entries(common_options()));
  out += section("COMMANDS");
  for (const Command& command : commands()) out += command_page(command);
  out += section("SCHEMES") +
         "Where a command takes a SCHEME, the options of that scheme may follow.\n";
  for (const SchemeInfo& scheme : schemes()) out += scheme_page(scheme);
  out += section("\"EXIT STATUS\"") + man_entries({{"0", "success"},
                                                   {"1", "an error in a file, or a finding"},
                                                   {"2", "an error in the command line"}});
  print(out);
}

}  // namespace

Command man_command() {
  return {"man",
          "the manual page: all commands and schemes with their options, as roff",
          takes_nothing,
          "`cmake --install` puts it where man looks for it.\n",
          {},
          {"posenc man > posenc.1"},
          run_man};
}

}  // namespace posenc::cli
