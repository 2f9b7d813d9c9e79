// list.cc: lists of edges as text.
#include "model/graph/formats.h"

namespace posenc::graph {
namespace {

// Whether no word is a number: the names of the columns.
bool are_names(const std::vector<std::string_view>& words) {
  constexpr std::string_view digits = "0123456789";
  for (const std::string_view word : words)
    if (word.empty() || word.find_first_of(digits) <= 1) return false;
  return true;
}

}  // namespace

Graph read_list(Lines lines) {
  Graph out;
  size_t width = 0;
  for (bool first = true; lines.next(); first = false) {
    const size_t count = lines.words().size();
    if (count < 2 || count > 3)
      lines.refuse("expected two nodes, or two and a weight, got ", count,
                   count == 1 ? " word" : " words");
    if (first && are_names(lines.words())) continue;
    if (width == 0) width = count;
    if (count != width) lines.refuse("expected ", width, " numbers as before, got ", count);
    out.edges.push_back({lines.integer(0), lines.integer(1)});
    if (width == 3) out.weights.push_back(lines.number(2));
  }
  return out;
}

}  // namespace posenc::graph
