// rope_coordinates.cc: which coordinate of a token turns which pair.
#include <algorithm>
#include <numeric>

#include "model/families/rope_config.h"

namespace posenc::model {
namespace {

constexpr std::string_view orders[] = {
    "",
    "chunked: pairs split into sections t,h,w in order",
    "interleaved: pair k uses h if k%3==1 and k<3*sec[1], w if k%3==2 and k<3*sec[2], else t",
    "h and w in turn over the first two sections, then t",
    "pair k uses the row if k is even, else the column",
    "features, not pairs, are split into sections: the halves of a pair may differ"};

// The pairs of each axis: those of the file, or of the class.
std::vector<double> sections_of(const RopeKeys& keys, const RopeRule& rule) {
  if (keys.entry && keys.entry->has({"mrope_section", "xdrope_section"})) {
    keys.entry->pass({"mrope_interleaved"});
    return *keys.entry->numbers({"mrope_section", "xdrope_section"});
  }
  std::vector<double> out(rule.sections.begin(), rule.sections.end());
  if (out[0] > 0)
    keys.config.assume("mrope_section", text::write(out), by_class);
  else
    keys.config.fail("rope_parameters.mrope_section, the pairs of each axis, got none");
  return out;
}

// Pairs beyond the last do not matter to code that picks every third one.
void clip_thirds(const RopeKeys& keys, std::vector<double>& sections, int64_t pairs) {
  const double sum = std::accumulate(sections.begin(), sections.end(), 0.0);
  if (sections.size() != 3 || sum <= static_cast<double>(pairs)) return;
  const std::vector<double> said = sections;
  const int64_t second = (pairs + 1) / 3, third = pairs / 3;
  sections[1] = std::min(sections[1], static_cast<double>(second));
  sections[2] = std::min(sections[2], static_cast<double>(third));
  sections[0] = static_cast<double>(pairs) - sections[1] - sections[2];
  keys.config.conflict("mrope_section " + text::write(said) + " is for more than the " +
                       text::write(pairs) + " pairs that rotate: the code comes to " +
                       text::write(sections));
}

decltype(Rope::axes) axes_of(RopeCoordinates coordinates, std::vector<double> sections) {
  switch (coordinates) {
    case RopeCoordinates::chunked:
      return Chunked{std::move(sections)};
    case RopeCoordinates::ernie:
      return ErnieAxes{std::move(sections)};
    default:
      return Alternating{std::move(sections)};
  }
}

// Rows and columns take turns, pair by pair.
void add_turns(Component& out, Rope& rope) {
  ListedAxes axes;
  for (int64_t pair = 0; pair < rope.turning() / 2; ++pair)
    axes.of_pair.push_back(static_cast<double>(pair % 2));
  rope.axes = std::move(axes);
  out.facts.emplace_back("position_axes", int64_t{2});
  out.positions = "two coordinates: row and column; those of a text token are equal";
}

// Whether the class's own sections are too few for its own heads, as the code finds out when run.
bool is_misfit(const RopeKeys& keys, const std::vector<double>& sections, const Rope& rope) {
  if (keys.entry && keys.entry->has({"mrope_section", "xdrope_section"})) return false;
  const double sum = std::accumulate(sections.begin(), sections.end(), 0.0);
  if (sum == static_cast<double>(rope.turning()) / 2) return false;
  keys.config.conflict("mrope_section " + text::write(sections) +
                       ", the default of its class, is not for the " +
                       text::write(rope.turning() / 2) +
                       " pairs that rotate: this model's code fails when it is run");
  return true;
}

}  // namespace

bool add_coordinates(const RopeKeys& keys, const RopeRule& rule, Component& out, Rope& rope) {
  const bool says = keys.entry && keys.entry->has({"mrope_section", "xdrope_section"});
  const bool optional = rule.coordinates == RopeCoordinates::hunyuan && !says;
  if (rule.coordinates == RopeCoordinates::one || optional) {
    if (keys.entry)
      keys.entry->ignore({"mrope_section"}, "this model's code counts tokens along one axis");
    return true;
  }
  out.facts.emplace_back("mrope", std::string(orders[static_cast<size_t>(rule.coordinates)]));
  if (rule.coordinates == RopeCoordinates::pairs) return add_turns(out, rope), true;
  std::vector<double> sections = sections_of(keys, rule);
  out.facts.emplace_back("mrope_section", sections);
  out.facts.emplace_back("position_axes", std::ssize(sections));
  out.positions = "three coordinates: time, height, width; those of a text token are equal";
  if (rule.coordinates == RopeCoordinates::hunyuan) {
    out.positions = text::write(std::ssize(sections)) +
                    " coordinates: of the token, width, height and on; those of a text token are "
                    "equal";
    return false;
  }
  if (rule.coordinates == RopeCoordinates::chunked && is_misfit(keys, sections, rope)) return false;
  if (rule.coordinates == RopeCoordinates::alternating)
    clip_thirds(keys, sections, rope.turning() / 2);
  rope.axes = axes_of(rule.coordinates, std::move(sections));
  return true;
}

}  // namespace posenc::model
