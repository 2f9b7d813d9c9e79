// options.cc: the scheme of a call.
#include "options.h"

#include <algorithm>

namespace posenc::cli {
namespace {

// An option of a choice that was not taken is unknown to the scheme, but not to us.
void explain(const std::string& name, const Options& options, std::string_view error) {
  for (const auto& given : options) {
    if (error.find("unknown option '" + given.first + "'") == error.npos) continue;
    std::string choice;
    std::vector<std::string> taken;
    for (const Option& option : usual_info(name).options)
      if (option.name == given.first && !option.only_with.empty()) {
        const size_t space = option.only_with.rfind(' ');
        choice = option.only_with.substr(0, space);
        taken.push_back(option.only_with.substr(space + 1));
      }
    if (!taken.empty())
      refuse("expected --", choice, " ", join(taken, " or "), " beside --", given.first,
             ", got another choice");
  }
}

}  // namespace

Scheme read_scheme(const Call& call, std::string_view otherwise) {
  const std::string name = call.words.empty() ? std::string(otherwise) : call.words[0];
  try {
    return make_scheme(name, call.scheme);
  } catch (const Error& error) {
    explain(name, call.scheme, error.what());
    throw UsageError(error.what());
  }
}

bool reads_content(std::string_view name) {
  const auto names = alternative_names<Content>();
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool acts_on_scores(std::string_view name) {
  const auto names = alternative_names<Bias>();
  return reads_content(name) || std::find(names.begin(), names.end(), name) != names.end();
}

SchemeInfo usual_info(std::string_view name) {
  for (const SchemeInfo& scheme : schemes())
    if (scheme.name == name) return scheme;
  refuse("unknown scheme '", name, "'", suggestion(name, alternative_names<Scheme>()));
}

SchemeInfo read_info(const Call& call) {
  return call.scheme.empty() ? usual_info(call.words[0]) : info(read_scheme(call));
}

}  // namespace posenc::cli
