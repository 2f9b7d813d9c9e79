// options.cc: the scheme of a call.
#include "options.h"

namespace posenc::cli {
namespace {

// An option of a choice that was not taken is unknown to the scheme, but not to us.
void explain(const std::string& name, const Options& options, std::string_view error) {
  for (const auto& given : options) {
    if (error.find("unknown option '" + given.first + "'") == error.npos) continue;
    for (const Option& option : info(make_scheme(name)).options)
      if (option.name == given.first && !option.only_with.empty())
        refuse("expected --", option.only_with, " beside --", option.name, ", got another choice");
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

}  // namespace posenc::cli
