// options.cc: the scheme of a call.
#include "cli/options.h"

#include <algorithm>

#include "cli/help/hints.h"
#include "posenc/convolution.h"
#include "posenc/graph.h"

namespace posenc::cli {
namespace {

// The schemes that have an option of that name.
std::vector<std::string> owners_of(const std::string& name) {
  std::vector<std::string> out;
  for (const SchemeInfo& scheme : schemes())
    for (const Option& option : scheme.options)
      if (option.name == name && (out.empty() || out.back() != scheme.name))
        out.push_back(scheme.name);
  return out;
}

// An option of another scheme, or of a choice that was not taken, is unknown to the scheme, but not
// to us.
void explain_unknown(const std::string& scheme, const std::string& name) {
  const auto owners = owners_of(name);
  if (!owners.empty() && std::find(owners.begin(), owners.end(), scheme) == owners.end())
    refuse("expected an option of ", scheme, ", got --", name, ", which only ", join(owners, ", "),
           owners.size() == 1 ? " has" : " have");
  std::string choice;
  std::vector<std::string> taken;
  for (const Option& option : usual_info(scheme).options)
    if (option.name == name && !option.only_with.option.empty()) {
      choice = option.only_with.option;
      taken.push_back(option.only_with.choice);
    }
  if (!taken.empty())
    refuse("expected --", choice, " ", join(taken, " or "), " with --", name,
           ", got another choice");
}

bool of_graphs(std::string_view name) {
  auto names = alternative_names<graph::Scheme>();
  for (const Alias& alias : graph::aliases()) names.push_back(alias.name);
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string readers_of(const Option& option) {
  std::vector<std::string> out;
  for (const std::string& family : option.families)
    out.push_back(family == "biases" ? "a bias of scores"
                                     : (family == "absolute" ? "an " : "a ") + family + " scheme");
  return join(out, " or ");
}

bool is_read_by(const Option& option, const SchemeInfo& scheme) {
  const auto& readers = option.families;
  const std::string family = scheme.acts_on == "scores" ? "biases" : scheme.family;
  return readers.empty() || std::find(readers.begin(), readers.end(), family) != readers.end();
}

void read_options(const Call& call, const Type& type, void* out) {
  for (const auto& [name, value] : call.own)
    for (const Field& field : type.fields())
      if (field.name == name)
        as_usage_error([&, &n = name, &v = value] { set_text(type, out, n, n, v); });
}

Scheme read_scheme(const Call& call, std::string_view otherwise) {
  const std::string name = call.words.empty() ? std::string(otherwise) : call.words[0];
  if (of_graphs(name))
    refuse("expected a scheme of tokens, got ", name,
           ", which encodes the nodes of a graph: ", "posenc graph FILE --scheme ", name);
  if (const auto names = alternative_names<Scheme>();
      std::find(names.begin(), names.end(), name) == names.end() && !is_convolution(name))
    refuse_scheme(name, scheme_names("table"));
  check_names(name, call.scheme);
  try {
    return make_scheme(name, call.scheme);
  } catch (const Error& error) {
    if (!error.unknown_option().empty()) explain_unknown(name, std::string(error.unknown_option()));
    raise_as_usage_error(error);
  }
}

Call with_any_layout(Call call) {
  for (const Option& option : usual_info(call.words[0]).options)
    if (option.name == "layout" && option.value == Value() && !given(call.scheme, "layout") &&
        !given(call.scheme, "preset"))
      call.scheme.emplace_back("layout", option.choices[0]);
  return call;
}

bool reads_content(std::string_view name) {
  const auto names = alternative_names<Content>();
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool acts_on_scores(std::string_view name) {
  const auto names = alternative_names<Bias>();
  return reads_content(name) || std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<SchemeInfo> known_schemes(std::string_view command) {
  std::vector<SchemeInfo> out = schemes();
  if (command != "list") return out;
  out.push_back(info(Convolution{}));
  for (SchemeInfo& scheme : graph::schemes()) out.push_back(std::move(scheme));
  return out;
}

std::vector<Alias> known_aliases(std::string_view command) {
  std::vector<Alias> out = aliases();
  if (command != "list") return out;
  for (const auto& others : {convolution_aliases(), graph::aliases()})
    out.insert(out.end(), others.begin(), others.end());
  return out;
}

std::vector<std::string> names_of_scheme(std::string_view scheme) {
  std::vector<std::string> out{std::string(scheme)};
  for (const Alias& alias : known_aliases("list"))
    if (alias.scheme == scheme) out.push_back(alias.name);
  return out;
}

std::vector<std::string> scheme_names(std::string_view command) {
  std::vector<std::string> out;
  for (const SchemeInfo& scheme : known_schemes(command)) out.push_back(scheme.name);
  for (const Alias& alias : known_aliases(command)) out.push_back(alias.name);
  return out;
}

SchemeInfo usual_info(std::string_view name) {
  for (const SchemeInfo& scheme : schemes())
    if (scheme.name == name) return scheme;
  refuse_scheme(name, scheme_names("table"));
}

SchemeInfo read_info(const Call& call) {
  if (of_graphs(call.words[0]))
    return graph::info(
        as_usage_error([&] { return graph::make_scheme(call.words[0], call.scheme); }));
  if (is_convolution(call.words[0]))
    return info(as_usage_error([&] { return make_convolution(call.words[0], call.scheme); }));
  const auto all = scheme_names("list");
  if (std::find(all.begin(), all.end(), call.words[0]) == all.end())
    refuse_scheme(call.words[0], all);
  return call.scheme.empty() ? usual_info(call.words[0]) : info(read_scheme(call));
}

}  // namespace posenc::cli
