// graph_source.cc: graphs as they are named on the command line.
#include "cli/graph/graph_source.h"

#include <filesystem>

#include "cli/error.h"

namespace posenc::cli {
namespace {

using graph::Edge;
using graph::Graph;
using Edges = std::vector<Edge>;

constexpr int64_t most = 10'000'000;  // nodes, and edges

Edges path(int64_t n) {
  Edges out;
  for (int64_t i = 0; i + 1 < n; ++i) out.push_back({i, i + 1});
  return out;
}
Edges cycle(int64_t n) {
  Edges out = path(n);
  out.push_back({n - 1, 0});
  return out;
}
Edges star(int64_t n) {
  Edges out;
  for (int64_t i = 1; i < n; ++i) out.push_back({0, i});
  return out;
}
Edges complete(int64_t n) {
  if (n * n > most) refuse("expected at most 3000 nodes of a complete graph, got ", n);
  Edges out;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) out.push_back({i, j});
  return out;
}
Edges grid_edges(int64_t rows, int64_t columns) {
  Edges out;
  for (int64_t i = 0; i < rows * columns; ++i) {
    if (i % columns + 1 < columns) out.push_back({i, i + 1});
    if (i + columns < rows * columns) out.push_back({i, i + columns});
  }
  return out;
}

struct Shape {
  std::string_view name;
  Edges (*edges)(int64_t);
};
constexpr Shape shapes[] = {
    {"path", path}, {"cycle", cycle}, {"star", star}, {"complete", complete}};

int64_t read_size(std::string_view text) {
  int64_t out = 0;
  as_usage_error([&] { text::read("the size of a graph", text, out); });
  if (out < 1 || out > most) refuse("expected graphs of 1 to ", most, " nodes, got ", out);
  return out;
}

// "grid", "4x5"
Graph shaped(std::string_view shape, std::string_view size) {
  for (const Shape& known : shapes)
    if (known.name == shape) return {read_size(size), known.edges(read_size(size))};
  const size_t cross = size.find('x');
  if (shape != "grid" || cross == size.npos)
    refuse("expected a file, or path:N, cycle:N, star:N, complete:N or grid:RxC, got ", shape, ":",
           size);
  const int64_t rows = read_size(size.substr(0, cross)),
                columns = read_size(size.substr(cross + 1));
  if (rows * columns > most)
    refuse("expected grids of 1 to ", most, " nodes, got ", rows * columns);
  return {rows * columns, grid_edges(rows, columns)};
}

}  // namespace

Graph named_graph(const std::string& name, const graph::EdgeOptions& options,
                  const std::string& weights) {
  const size_t colon = name.find(':');
  const bool is_shape = colon != name.npos && !std::filesystem::exists(name);
  if (!is_shape) return graph::read(name, options, weights);
  if (options.nodes || !weights.empty() || options.first_id != graph::EdgeOptions{}.first_id ||
      options.duplicates != graph::EdgeOptions{}.duplicates)
    refuse("expected --nodes, --weights, --duplicates and --first_id with a file, got ", name);
  Graph out =
      shaped(std::string_view(name).substr(0, colon), std::string_view(name).substr(colon + 1));
  out.directed = options.directed;
  return out;
}

}  // namespace posenc::cli
