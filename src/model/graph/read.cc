// read.cc: graphs from files of any kind that is known.
#include "posenc/graph/read.h"

#include "graph/edges.h"
#include "model/array.h"
#include "model/graph/formats.h"
#include "model/npy.h"

namespace posenc::graph {
namespace {

using files::Source;

// Calls f, whose errors are the fault of the file.
template <class F>
Graph of_file(const Source& source, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (error.kind == ErrorKind::data) throw;
    source.refuse(error.sentence());
  }
}

// The entries that a symmetric matrix does not list.
void mirror(Graph& g) {
  for (size_t e = 0, count = g.edges.size(); e < count; ++e) {
    const auto [from, to] = g.edges[e];
    if (from == to) continue;
    g.edges.push_back({to, from});
    if (!g.weights.empty()) g.weights.push_back(g.weights[e]);
  }
}

Graph from_text(const Source& source, EdgeOptions options) {
  const std::string text = source.text(0, source.size());
  Graph edges;
  if (text.starts_with("%%MatrixMarket")) {
    edges = read_matrix_market(text, source.label());
    if (options.nodes && *options.nodes != edges.nodes)
      source.refuse("expected a matrix of ", *options.nodes, " rows, got ", edges.nodes);
    if (!options.nodes && edges.nodes <= max_nodes &&
        edges.nodes > plausible_nodes(std::ssize(edges.edges)))
      source.refuse("expected the number of nodes to be given with a matrix of ", edges.nodes,
                    " rows and ", edges.edges.size(), " entries, got none");
    options.nodes = edges.nodes, options.first_id = 1;
    if (options.directed && !edges.directed) mirror(edges);
  } else {
    edges = read_list(Lines(text, source.label()));
  }
  return with_options("read", std::move(edges), options);
}

Graph from_npy(const Source& source, const EdgeOptions& options, const std::string& weights) {
  const Array edges = files::load_npy(source);
  if (weights.empty()) return from_edges(edges.view(), options);
  const Array given = read_array(weights);
  return from_edges(edges.view(), options, given.view());
}

Graph from_source(const Source& source, const EdgeOptions& options, const std::string& weights) {
  if (source.starts_with(files::npy_magic)) return from_npy(source, options, weights);
  if (!weights.empty())
    fail("read", "expected edges as .npy with a file of weights, got text, which has its own");
  return from_text(source, options);
}

}  // namespace

Graph read(const std::string& path, const EdgeOptions& options, const std::string& weights) {
  const Source source("read", path);
  return of_file(source, [&] { return from_source(source, options, weights); });
}

Graph parse(std::string_view file, const EdgeOptions& options) {
  const Source source("parse", std::as_bytes(std::span(file.data(), file.size())));
  return of_file(source, [&] { return from_source(source, options, ""); });
}

}  // namespace posenc::graph
