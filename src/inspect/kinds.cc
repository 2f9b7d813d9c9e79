// kinds.cc: schemes as they are typed, and vectors of inverse frequencies or slopes.
#include "kinds.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/bits.h"

namespace posenc::inspect {
namespace {

// The options that count: those of choices that are taken.
std::vector<Option> taken_options(const Scheme& scheme) {
  const auto all = info(scheme).options;
  std::vector<Option> out;
  for (const Option& o : all)
    if (is_taken(o, all)) out.push_back(o);
  return out;
}

std::vector<Option> changed_options(const Scheme& scheme) {
  std::vector<Option> usual;
  for (const SchemeInfo& known : schemes())
    if (known.name == alternative_name(scheme)) usual = known.options;
  std::vector<Option> out = taken_options(scheme);
  std::erase_if(out, [&](const Option& o) {
    return o.name != "dim" && o.name != "heads" &&
           std::any_of(usual.begin(), usual.end(), [&](const Option& u) {
             return u.name == o.name && u.only_with == o.only_with && u.value == o.value;
           });
  });
  return out;
}

std::string value_text(const Option& o) {
  const auto* number = std::get_if<double>(&o.value);
  return number ? number_text(*number) : text::write(o.value);
}

Match unknown_vector() {
  Match m;
  m.sentence =
      "Not recognised: neither the inverse frequencies of a rotary scheme nor ALiBi slopes that "
      "posenc knows.";
  return m;
}

}  // namespace

std::string number_text(double x) {
  for (int digits : {10, 17}) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    if (std::strtod(text, nullptr) == x) return text;
  }
  return text::write(x);
}

std::string typed_options(const Scheme& scheme) {
  std::string out;
  for (const Option& o : changed_options(scheme))
    out.append(" --").append(o.name).append(" ").append(value_text(o));
  return out;
}

std::string option_text(const Scheme& scheme, const std::string& name) {
  std::vector<std::string> inner;
  std::string choice;
  for (const Option& o : taken_options(scheme)) {
    if (o.name == name) choice = text::write(o.value);
    if (o.name.starts_with(name + ".") && o.value.index() != 0 && o.kind != OptionKind::list)
      inner.push_back(o.name.substr(name.size() + 1) + " " + value_text(o));
  }
  return choice + (inner.empty() ? "" : " (" + join(inner, ", ") + ")");
}

std::optional<Match> slopes_match(const std::vector<double>& slopes, double error) {
  Alibi alibi{.heads = std::ssize(slopes)};
  const auto gives = [&] {
    for (int64_t h = 0; h < alibi.heads; ++h)
      if (std::abs(slopes[static_cast<size_t>(h)] / alibi.slope(h) - 1) > error) return false;
    return true;
  };
  for (double most : {8.0, 4.0, 16.0, 2.0, 1.0}) {
    alibi.bias_max = most;
    if (!gives()) continue;
    Match m{"alibi", "", "", 0};
    m.kind = "alibi", m.within_rounding = true, m.found = info(alibi);
    m.command = "posenc table alibi" + typed_options(alibi);
    m.sentence = "the slopes of ALiBi for " + std::to_string(alibi.heads) + " heads";
    if (most != 8) m.sentence += ", bias_max " + number_text(most);
    return m;
  }
  return {};
}

Match identify_vector(const Tensor& t) {
  const TableView table{t.data, t.dtype, 1, t.size(0), 0, t.step(0)};
  std::vector<double> values(static_cast<size_t>(table.dim));
  table.read_row(0, values.data());
  const double error = 2 * storage_error(t.dtype);
  if (values.size() < 2 || !std::all_of(values.begin(), values.end(), is_finite))
    return unknown_vector();
  if (auto slopes = slopes_match(values, error)) {
    slopes->sentence = "Biases: " + slopes->sentence + ".";
    return *slopes;
  }
  std::vector<Known> known;
  for (double w : values) known.push_back({w, std::abs(w) * error});
  const auto fits = rules_for(known);
  if (fits.empty()) return unknown_vector();
  const Rope& rope = fits[0].rope;
  Match m{"inv_freq", "", "", 0};
  m.kind = "inv_freq", m.within_rounding = true, m.found = info(rope);
  m.sentence = "Rotary: the inverse frequencies of " + std::to_string(known.size()) +
               " pairs; base " + number_text(rope.base);
  if (rope.scaling.index() != 0) m.sentence += ", scaling " + option_text(rope, "scaling");
  m.sentence += ".";
  for (size_t i = 1; i < fits.size(); ++i)
    m.also.push_back("scaling " + option_text(fits[i].rope, "scaling"));
  if (!fits[0].also.empty()) m.also.push_back(fits[0].also);
  m.command = "posenc table rope" + typed_options(rope);
  return m;
}

}  // namespace posenc::inspect
