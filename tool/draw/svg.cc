#include "draw/svg.h"

#include <cctype>
#include <map>
#include <string_view>

#include "draw/text.h"

namespace posenc::draw {
namespace {

// cairo numbers images and surfaces through the whole process: prefix + 17 becomes prefix + 1.
void renumber(std::string& svg, std::string_view opening, std::string_view prefix,
              std::map<std::string, int>& numbers) {
  const std::string start = std::string(opening) + std::string(prefix);
  for (size_t at = 0; (at = svg.find(start, at)) != svg.npos;) {
    at += start.size();
    size_t end = at;
    while (end < svg.size() && std::isdigit(static_cast<unsigned char>(svg[end]))) ++end;
    const auto fresh = static_cast<int>(numbers.size());
    const int number = numbers.emplace(svg.substr(at, end - at), fresh).first->second;
    svg.replace(at, end - at, std::to_string(number));
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

std::string finish_svg(std::string svg, const std::string& title, const std::string& note) {
  for (const std::string_view prefix : {"image", "surface"}) {
    std::map<std::string, int> numbers;
    renumber(svg, "id=\"", prefix, numbers);
    renumber(svg, "href=\"#", prefix, numbers);
  }
  replace_all(svg, "<image id=", "<image style=\"image-rendering:pixelated\" id=");
  const size_t open = svg.find("<svg"), end = svg.find('>', open);
  if (end == svg.npos) return svg;
  svg.insert(end + 1, "\n<title>" + xml(title) + "</title>\n<desc>" + xml(note) + "</desc>");
  return svg;
}

}  // namespace posenc::draw
