// matrix_market.cc: a sparse matrix as a list of its entries.
#include <algorithm>

#include "base/text.h"
#include "model/graph/formats.h"

namespace posenc::graph {
namespace {

struct Banner {
  bool weighted = true, symmetric = false;
};

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// "%%MatrixMarket matrix coordinate real symmetric"
Banner read_banner(std::string_view line, const std::string& label) {
  Lines words(line.substr(2), label);
  const bool whole = words.next() && words.words().size() == 5;
  const auto word = [&](size_t i) { return whole ? lower(words.words()[i]) : std::string(); };
  const std::string kind = word(3), shape = word(4);
  const bool known = kind == "real" || kind == "integer" || kind == "pattern";
  if (word(1) != "matrix" || word(2) != "coordinate" || !known ||
      (shape != "general" && shape != "symmetric"))
    words.refuse(
        "expected 'matrix coordinate', real, integer or pattern, general or symmetric, got ",
        files::in_quotes(line));
  return {kind != "pattern", shape == "symmetric"};
}

}  // namespace

Graph read_matrix_market(std::string_view file, const std::string& label) {
  const Banner header = read_banner(file.substr(0, file.find('\n')), label);
  Lines lines(file, label);
  if (!lines.next() || lines.words().size() != 3)
    lines.refuse("expected a line of rows, columns and entries, got none");
  const int64_t rows = lines.integer(0), columns = lines.integer(1), entries = lines.integer(2);
  if (rows != columns)
    lines.refuse("expected a square matrix, got ", rows, " rows and ", columns, " columns");
  if (entries < 0) lines.refuse("expected 0 entries or more, got ", entries);
  Graph out{rows};
  const size_t width = header.weighted ? 3 : 2;
  while (lines.next()) {
    if (lines.words().size() != width)
      lines.refuse("expected ", width, " numbers, got ", lines.words().size());
    out.edges.push_back({lines.integer(0), lines.integer(1)});
    if (header.weighted) out.weights.push_back(lines.number(2));
  }
  if (std::ssize(out.edges) != entries)
    lines.refuse("expected ", entries, " entries in all, got ", out.edges.size());
  out.directed = !header.symmetric;
  return out;
}

}  // namespace posenc::graph
