// nodes.js: pictures of what encodes the nodes of a graph: "path:9", "cycle:9", "star:9", "complete:9" or "grid:4x5".
import * as engine from "../engine.js";
import {t} from "../i18n.js";
import {options_words} from "../state.js";
import {most, range} from "./rows.js";

export const usual_graph = "grid:4x6";

export const graph_words = (asked) => ["graph", asked.graph || usual_graph, "--scheme", asked.scheme, ...(asked.preset ? ["--preset", asked.preset] : []),
  ...options_words(asked.options)];
const title = (asked, what) => `${t(what)}: ${graph_words(asked).join(" ")}`;

// [node, column]
function table(asked) {
  const {shape: [rows, cols], data} = engine.array(graph_words(asked));
  return {rows, cols, data: Float32Array.from(data)};
}

export function nodes(asked) {
  const {rows, cols, data} = table(asked), high = most(data) || 1;
  return {type: "heat", title: title(asked, "nodes"), rows, cols, ...drawing(asked.graph || usual_graph, rows), values: data, low: -high, high, x: {label: t("column")}, y: {label: t("node")},
    tell: (r, c, text) => `${t("node")} ${r}, ${t("column")} ${c}: ${text}`};
}

// The graph itself, its nodes coloured by one column.
export function network(asked) {
  const {rows, cols, data} = table(asked), column = Math.min(Number(asked.column ?? telling(asked)), cols - 1), values = range(rows).map((_, i) => data[i * cols + column]);
  return {type: "network", title: title(asked, "network"), values, high: most(values) || 1, columns: cols, ...drawing(asked.graph || usual_graph, rows),
    label: `column ${column}`, tell: (node, text) => `${t("node")} ${node}, ${t("column")} ${column}: ${text}`};
}

// Where nodes are drawn, between 0 and 1, and the edges between them.
export function drawing(name, count) {
  const [kind, size] = name.split(":"), pairs = (f) => Array.from({length: count}, (_, i) => f(i)).flat();
  const ring = (i, of = count) => ({x: 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / of + Math.PI / 2), y: 0.5 - 0.5 * Math.sin((2 * Math.PI * i) / of + Math.PI / 2)});
  const places = (f) => Array.from({length: count}, (_, i) => f(i));
  if (kind === "grid") {
    const [height, width] = size.split("x").map(Number), wide = Math.max(width - 1, 1), tall = Math.max(height - 1, 1);
    return {nodes: count, ratio: tall / wide, places: places((i) => ({x: (i % width) / wide, y: Math.floor(i / width) / tall})),
      edges: pairs((i) => [...(i % width < width - 1 ? [[i, i + 1]] : []), ...(i + width < count ? [[i, i + width]] : [])])};
  }
  if (kind === "path") return {nodes: count, ratio: 0, places: places((i) => ({x: i / Math.max(count - 1, 1), y: 0.5})), edges: pairs((i) => (i ? [[i - 1, i]] : []))};
  if (kind === "star") return {nodes: count, ratio: 1, places: places((i) => (i ? ring(i - 1, count - 1) : {x: 0.5, y: 0.5})), edges: pairs((i) => (i ? [[0, i]] : []))};
  const edges = kind === "cycle" ? pairs((i) => (count > 1 ? [[i, (i + 1) % count]] : [])) : pairs((i) => places((j) => [i, j]).slice(i + 1));
  return {nodes: count, ratio: 1, places: places((i) => ring(i)), edges};
}

// The first column in which nodes differ.
export function telling(asked) {
  const {rows, cols, data} = table(asked), column = range(cols).findIndex((c) => range(rows).some((r) => data[r * cols + c] !== data[c]));
  return Math.max(column, 0);
}

// Columns of the table and the one that is shown first, where the options fit the graph.
export function probe_nodes(asked) {
  try {
    return {kinds: ["network", "nodes"], columns: table(asked).cols, column: telling(asked)};
  } catch {
    return {kinds: ["network", "nodes"], columns: 1, column: 0};
  }
}
