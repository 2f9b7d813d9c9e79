// all.js: from a scheme and what is asked about it to a picture, as data. The numbers are those of the tool's
// commands; here they are only arranged, and products of rows are summed up.
import * as engine from "../engine.js";
import {buckets, curves, square} from "./biases.js";
import {cells_of_term, probe_content, row_of_term, square_of_term} from "./content.js";
import {ends, kernel, probe_convolution, tokens_convolved} from "./convolution.js";
import {network, nodes, probe_nodes} from "./nodes.js";
import {scheme_words} from "./rows.js";
import {heatmap, patches, similarity, waves} from "./tables.js";
import {circles, decay, directions, rules, wavelengths} from "./turning.js";

const makers = {heatmap, waves, similarity, wavelengths, decay, circles, rules, curves, square, buckets, patches, directions,
  square_of_term, row_of_term, cells_of_term, kernel, tokens_convolved, ends, network, nodes};

// Which pictures the tool draws of the scheme as it is, how tokens stand in it, and whether its weights are those before
// training: {kinds, axes, real, initial}, or {error}. Asked once for each set of options: the tool draws every kind for it.
const probed = new Map();
export function probe(asked, now) {
  const {family, learned} = now, live = {content: probe_content, convolution: probe_convolution, graph: probe_nodes}[family];
  if (live) return {...none, ...live(asked, now)};
  const name = scheme_words(asked).join(" ");
  if (!probed.has(name)) probed.set(name, (family === "relative" ? probe_bias : probe_rows)(asked, family, learned));
  return probed.get(name);
}

const none = {kinds: [], axes: 1, real: false, initial: false};
const is_drawn = (words, kind, ...more) => engine.run(["show", ...words, "--kind", kind, "--size", "40x10", ...more]).code === 0;

// The fewest numbers that the scheme gives tell what all of them would.
const smallest = [["--positions", "0:1"], ["--queries", "0:1", "--keys", "0:1"], []];
function probe_bias(asked) {
  const words = scheme_words(asked), line = is_drawn(words, "curves");
  let told;
  for (const part of smallest) if ((told = engine.run(["table", ...words, ...part, "--json"])).code === 0) break;
  if (told.code !== 0) return {...none, error: told.err.replace(/^posenc: /, "")};
  return {...none, initial: JSON.parse(told.out).initial_weights !== undefined,
    kinds: [...(line ? ["curves"] : []), "square", ...(line && is_drawn(words, "buckets") ? ["buckets"] : [])]};
}

// Every command fills the weights anew: of large ones a few columns are asked, which are drawn as all of them are.
const many = 2 ** 16;
function probe_rows(asked, family, learned) {
  const size = learned.reduce((sum, {shape}) => sum + shape.reduce((a, b) => a * b, 1), 0);
  const narrow = size > many && probe_words(scheme_words({...asked, options: {...asked.options, dim: "8"}}), family);
  return narrow && !narrow.error ? narrow : probe_words(scheme_words(asked), family);
}

function probe_words(words, family) {
  const told = engine.run(["table", ...words, "--json"]);
  if (told.code !== 0) return {...none, error: told.err.replace(/^posenc: /, "")};
  const {positions = [0], initial_weights} = JSON.parse(told.out), axes = positions[0].length ?? 1;
  const facts = {axes, real: positions.flat().some((v) => v !== Math.floor(v)), initial: initial_weights !== undefined};
  const few = ["--positions", Array(axes).fill("0:8").join(";")];  // for tables with fewer rows than the usual positions
  const fits = is_drawn(words, "heatmap"), at = fits ? [] : few;
  const drawn = (kind) => (kind === "heatmap" && fits) || (kind === "decay" && is_drawn(words, kind, ...few)) || is_drawn(words, kind, ...at);
  const shown = ["heatmap", "waves", "similarity", "wavelengths", "rules", "decay"].filter(drawn);
  return {...facts, kinds: family === "rotary" ? ["circles", ...(axes === 2 ? ["directions"] : []), ...shown] : axes === 2 ? ["patches", ...shown] : shown};
}

// info: the scheme as the tool lists it, with what probe() found.
export function make_picture(kind, asked, info) {
  return makers[kind](asked, info);
}
