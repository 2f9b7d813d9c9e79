// code_live.js: terms that read queries or keys, convolutions and graphs outside of the page. The first two have no command of
// their own: they read what a model computes.
import {cpp_scheme, python_options, python_scheme, shell} from "./code.js";
import {graph_words} from "./pictures/nodes.js";

const cpp_options = (asked) => [...(asked.preset ? [["preset", asked.preset]] : []), ...Object.entries(asked.options)]
  .map(([option, value]) => `{"${option}", "${value}"}`).join(", ");

export function term_code(asked, info, causal) {
  const learned = info.learned.length > 0;
  const ready = learned ? "// posenc::weights(scheme) lists what it learns\nconst posenc::Plan plan = posenc::prepare(scheme, {.weights = weights});\n"
    : "const posenc::Plan plan = posenc::prepare(scheme);\n";
  return {
    cpp: `#include <posenc/posenc.h>\n\n#include <vector>\n\n${cpp_scheme(asked)}${ready}` +
      "// scores: q . k, [heads, queries, keys]; q, k: [tokens, heads, dim]; gates: [tokens, heads]. What it does not read may be left out.\n" +
      `posenc::add(std::get<posenc::ContentPlan>(plan), {.q = q, .k = k, .gates = gates}, scores, {.causal = ${causal}});\n`,
    python: `import posenc\n\nencoding = ${python_scheme(asked)}\n${learned ? "plan = encoding.plan(encoding.initial_weights(seed=0))\n" : ""}` +
      "# scores: q . k, [heads, queries, keys]; q, k: [tokens, heads, dim]; gates: [tokens, heads]. What it does not read may be left out.\n" +
      `scores = ${learned ? "plan" : "encoding"}.add(scores, q, k, gates, causal=${causal ? "True" : "False"})\n`,
  };
}

export function convolution_code(asked, {height, width} = {}) {
  return {
    cpp: "#include <posenc/convolution.h>\n\n#include <vector>\n\n" +
      `const posenc::Convolution scheme = posenc::make_convolution("${asked.scheme}", {${cpp_options(asked)}});\n` +
      "// scheme.weights() lists what it learns\nconst posenc::ConvolutionPlan plan = posenc::prepare(scheme, {.weights = weights});\n" +
      `posenc::convolve(plan, x, x, {${height ? `.height = ${height}, .width = ${width}, ` : ""}.add_input = false});  // x: [tokens, dim]\n`,
    python: `import posenc\n\nencoding = posenc.Convolution(${python_options(asked)})\nplan = encoding.plan(encoding.initial_weights(seed=0))\n` +
      `added = plan.convolve(x, ${height ? `grid=(${height}, ${width}), ` : ""}add_input=False)  # x: [tokens, dim]\n`,
  };
}

// edges: as the picture has them.
export function graph_code(asked, kind, {nodes, edges}) {
  const drawn = kind === "network" ? ["--picture", "graph.svg", "--column", asked.column ?? 0] : ["--out", "table.csv"];
  return {
    shell: shell([...graph_words(asked), ...drawn]),
    cpp: "#include <posenc/graph.h>\n\n#include <vector>\n\n" +
      `const posenc::graph::Graph nodes{.nodes = ${nodes}, .edges = {${edges.map(([a, b]) => `{${a}, ${b}}`).join(", ")}}};\n` +
      `const posenc::graph::Scheme scheme = posenc::graph::make_scheme("${asked.scheme}", {${cpp_options(asked)}});\n` +
      `const int64_t columns = posenc::graph::columns(scheme, nodes);\nstd::vector<float> table(${nodes} * static_cast<size_t>(columns));\n` +
      `posenc::graph::fill(scheme, nodes, posenc::tensor(table.data(), {${nodes}, columns}));\n`,
    python: `import posenc\n\nedges = [${edges.map(([a, b]) => `(${a}, ${b})`).join(", ")}]\n` +
      `table = posenc.graph.${asked.scheme.replaceAll("-", "_")}(${["edges", `nodes=${nodes}`, python_options(asked, "preset=")].filter(Boolean).join(", ")})\n`,
  };
}
