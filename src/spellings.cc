// spellings.cc: options of rope in the words of Hugging Face's configurations.
#include "spellings.h"

#include <algorithm>
#include <cmath>

#include "posenc/rotary/rope.h"

namespace posenc {
namespace {

std::string own_name(const std::string& name) {
  const size_t dot = std::min(name.find('.'), name.size());
  const std::string head = name.substr(0, dot);
  if (head == "rope_scaling" || head == "rope_parameters")
    return own_name("scaling" + name.substr(dot));
  if (name == "rope_theta" || name == "scaling.rope_theta") return "base";
  if (name == "scaling.rope_type" || name == "scaling.type") return "scaling";
  return name;
}

Value own_rule(const Value& value) {
  const auto* word = std::get_if<std::string>(&value);
  if (value.index() == 0 || (word && *word == "default")) return std::string("none");
  return word && *word == "su" ? Value(std::string("longrope")) : value;
}

double number_of(const Value& value, const char* name) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  fail(ErrorKind::option, "options", "expected ", name, " to be a number");
}

// Whether the part of each head that turns is said beside a rule that has no such option itself.
bool is_part(const std::string& name, const Settings& given) {
  if (name != "scaling.partial_rotary_factor") return name == "partial_rotary_factor";
  return std::none_of(given.begin(), given.end(), [](const auto& setting) {
    return own_name(setting.first) == "scaling" &&
           setting.second == Value(std::string(Proportional::name));
  });
}

// rotary_dim, of the dim that stands beside it.
Value rotary_dim(const Settings& settings, const Value& factor) {
  for (const auto& [name, value] : settings)
    if (name == "dim")
      return static_cast<int64_t>(
          std::floor(number_of(value, "dim") * number_of(factor, "partial_rotary_factor")));
  fail(ErrorKind::option, "options", "expected dim beside partial_rotary_factor, got none");
}

}  // namespace

std::vector<std::string> other_options(std::string_view scheme) {
  if (scheme != Rope::name) return {};
  return {"rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor"};
}

Settings in_own_words(std::string_view scheme, const Settings& given) {
  if (scheme != Rope::name) return given;
  Settings out;
  for (const auto& [said, value] : given) {
    std::string name = own_name(said);
    Value own = name == "scaling" ? own_rule(value) : value;
    if (is_part(name, given)) name = "rotary_dim", own = rotary_dim(given, value);
    const auto same =
        std::find_if(out.begin(), out.end(), [&](auto& o) { return o.first == name; });
    if (same == out.end())
      out.emplace_back(name, own);
    else if (text::write(same->second) != text::write(own))
      fail(ErrorKind::option, "options", "expected ", name, " once, got ",
           text::write(same->second), " and, as ", said, ", ", text::write(own));
  }
  // The rule comes before its options.
  std::stable_partition(out.begin(), out.end(), [](auto& o) { return o.first == "scaling"; });
  return out;
}

}  // namespace posenc
