// graph.cc: posenc graph.
#include <fmt/core.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/graph/graph_picture.h"
#include "cli/graph/graph_source.h"
#include "cli/memory.h"
#include "cli/schemes/rows.h"
#include "cli/show/picture_output.h"
#include "cli/tables/table_output.h"

namespace posenc::cli {
namespace {

struct GraphOptions : OutputOptions, graph::EdgeOptions {
  std::string weights{}, picture{}, size{};
  bool show = false;
  int64_t column = 0;

  static Fields fields() {
    using S = GraphOptions;
    return base_fields<S, OutputOptions, graph::EdgeOptions>(
        {{"weights", &S::weights, "a .npy file with a weight for each edge, with .npy edges"},
         {"show", &S::show, "a picture in the terminal instead of the table"},
         {"picture", &S::picture, "a picture in this .png or .svg file, in addition to the table"},
         {"column", &S::column, "which column colours the picture"},
         {"size", &S::size, "size of the picture, WIDTHxHEIGHT in pixels or characters"}});
  }
};

// The options of all schemes, each name once.
std::vector<Option> scheme_choices() {
  std::vector<Option> out{
      {"scheme", OptionKind::choice, "what to compute", Value("laplacian"),
       alternative_names<graph::Scheme>()},
      {"preset", OptionKind::choice, "start from a named value; 'posenc list SCHEME' shows them"}};
  for (const SchemeInfo& scheme : graph::schemes())
    for (Option option : scheme.options) {
      const auto same = std::find_if(out.begin(), out.end(),
                                     [&](const Option& o) { return o.name == option.name; });
      option.only_with = {"scheme", scheme.name};
      if (same == out.end())
        out.push_back(std::move(option));
      else
        same->only_with.choice += ", " + scheme.name;
    }
  return out;
}

graph::Scheme scheme_of(const Call& call) {
  std::string name = "laplacian";
  Options options;
  for (const auto& [option, value] : call.own) {
    if (option == "scheme") name = value;
    for (const Option& known : scheme_choices())
      if (known.name == option && option != "scheme") options.emplace_back(option, value);
  }
  return as_usage_error([&] { return graph::make_scheme(name, options); });
}

// The table, and the eigenvalues of its columns, where they are those of all components together.
struct Computed {
  Array rows;
  std::vector<double> values{};
};

Computed compute(const graph::Scheme& scheme, const graph::Graph& g, DType dtype) {
  const int64_t columns = graph::columns(scheme, g);
  check_fits("a table", g.nodes, columns, size_of(dtype));
  Computed out{make_array(dtype, {g.nodes, columns})};
  Progress progress("computing the table");
  if (const auto* laplacian = std::get_if<graph::Laplacian>(&scheme)) {
    const graph::Spectrum known = spectrum(*laplacian, g);
    fill(*laplacian, known, out.rows.view());
    if (laplacian->components == graph::Components::together) out.values = known.values;
  } else {
    graph::fill(scheme, g, out.rows.view());
  }
  return out;
}

std::string summary(const graph::Scheme& scheme, const graph::Graph& g, const std::string& name) {
  return fmt::format("{}: {} nodes, {} {} edges listed; {}\n", name, g.nodes, g.edges.size(),
                     g.directed ? "directed" : "undirected", alternative_name(scheme));
}

void write(const Call& call, const GraphOptions& options, const graph::Scheme& scheme,
           const graph::Graph& g, const Computed& computed) {
  const Format format = format_of(options);
  Table table{graph::info(scheme), PositionList{g.nodes}, Rows(computed.rows)};
  table.places = {"node"}, table.rows_at = "nodes";
  table.made_at["graph"] = call.words[0];
  if (format == Format::json || is_page(options, format)) {
    size_t column = 0;
    for (const double value : computed.values)
      if (value == value) table.factors.emplace_back(fmt::format("eigenvalue_{}", column++), value);
  }
  if (!is_page(options, format)) return write_table(std::move(table), options, format);
  table.positions = shortened(std::move(table.positions));
  std::string text = summary(scheme, g, call.words[0]);
  if (!table.factors.empty()) text += "eigenvalues";
  for (const auto& [name, value] : table.factors) text += fmt::format(" {:.6g}", value);
  print(text + (table.factors.empty() ? "" : "\n"));
  write_text(table, static_cast<size_t>(console_size().columns),
             [](std::string_view part) { print(part); });
  if (table.positions.count < g.nodes)
    print(
        fmt::format("nodes 0 to {} of {}; --full shows all\n", table.positions.count - 1, g.nodes));
}

void draw(const Call& call, const GraphOptions& options, const graph::Scheme& scheme,
          const graph::Graph& g, const Array& rows) {
  const int64_t columns = rows.shape[1];
  if (options.column < 0 || options.column >= columns)
    refuse("expected --column from 0 to ", columns - 1, ", got ", options.column);
  const auto all = as_doubles(rows);
  std::vector<double> values;
  for (int64_t i = 0; i < g.nodes; ++i)
    values.push_back(all[static_cast<size_t>(i * columns + options.column)]);
  draw::Network picture = draw_graph(g, std::move(values));
  picture.title =
      fmt::format("{}, column {} of {}", alternative_name(scheme), options.column, call.words[0]);
  picture.note = fmt::format("{} nodes, {} edges; nodes are placed by their first two eigenvectors",
                             g.nodes, g.edges.size());
  picture.scale_label = fmt::format("column {}", options.column);
  write_picture(picture, options.picture, options.size, {760, 640});
}

void run_graph(const Call& call) {
  const auto options = read_options<GraphOptions>(call);
  const graph::Scheme scheme = scheme_of(call);
  check_picture(options.picture, "--picture");
  if (options.show && !options.picture.empty()) refuse("expected --show or --picture, got both");
  if (options.show && (options.json || options.format || !options.out.empty()))
    refuse("expected --show or a table to be written, got both");
  if (!options.format && (options.out.ends_with(".png") || options.out.ends_with(".svg")))
    refuse("expected --picture with the name of a picture, got --out ", options.out);
  if (!options.show) format_of(options);
  const graph::Graph g = named_graph(call.words[0], options, options.weights);
  const Computed computed = compute(scheme, g, to_dtype(options.dtype));
  if (options.show || !options.picture.empty()) draw(call, options, scheme, g, computed.rows);
  if (!options.show) write(call, options, scheme, g, computed);
}

std::vector<Option> graph_options() {
  auto out = scheme_choices();
  for (Option& option : options_of(GraphOptions{})) out.push_back(std::move(option));
  return out;
}

}  // namespace

Command graph_command() {
  return {
      "graph",
      "encode the nodes of a graph: eigenvectors, random walks, distances, degrees",
      takes_one("FILE"),
      "FILE lists edges: text or csv (from, to and an optional weight on each line), .npy\n"
      "([edges, 2] or [2, edges]) or Matrix Market. Some graphs need no file: path:9,\n"
      "cycle:9, star:9, complete:9, grid:4x5. The table has a row for each node. 'posenc\n"
      "list laplacian' describes a scheme.\n",
      graph_options(),
      {"posenc graph path:3 --dim 2", "posenc graph grid:8x8 --scheme random-walk --steps 6 --json",
       "posenc graph cycle:12 --scheme shortest-paths --anchors 0,6",
       "posenc graph grid:4x5 --dim 8 --sign random --seed 1 --dtype f64 --out table.npy",
       "posenc graph grid:6x20 --show --size 80x20",
       "posenc graph grid:20x20 --column 3 --picture graph.png --out table.safetensors",
       "posenc graph star:5 --scheme degrees --preset graphormer"},
      run_graph};
}

}  // namespace posenc::cli
