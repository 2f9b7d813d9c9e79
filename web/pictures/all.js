// all.js: from a scheme and what is asked about it to a picture, as data. The numbers are those of the tool's
// commands; here they are only arranged, and products of rows are summed up.
import * as engine from "../engine.js";
import {buckets, curves, square} from "./biases.js";
import {scheme_words} from "./rows.js";
import {heatmap, patches, similarity, waves} from "./tables.js";
import {circles, decay, directions, rules, wavelengths} from "./turning.js";

const makers = {heatmap, waves, similarity, wavelengths, decay, circles, rules, curves, square, buckets, patches, directions};

// Which pictures the tool draws of the scheme as it is, how tokens stand in it, and whether its weights are those before
// training: {kinds, axes, real, initial}. Asked once for each set of options: the tool draws every kind for it.
const probed = new Map();
export function probe(asked, family) {
  const words = scheme_words(asked), name = words.join(" ");
  if (!probed.has(name)) probed.set(name, probe_words(words, family));
  return probed.get(name);
}

function probe_words(words, family) {
  const told = engine.run(["table", ...words, "--json"]);
  if (told.code !== 0) return {kinds: [], axes: 1, real: false, error: told.err.replace(/^posenc: /, "")};
  const {positions = [0], initial_weights} = JSON.parse(told.out), axes = positions[0].length ?? 1;
  const facts = {axes, real: positions.flat().some((v) => v !== Math.floor(v)), initial: initial_weights !== undefined};
  const shown_at = (at, kind) => engine.run(["show", ...words, "--kind", kind, "--size", "40x10", ...at]).code === 0;
  const few = ["--positions", Array(axes).fill("0:8").join(";")];  // for tables with fewer rows than the usual positions
  const fits = family !== "relative" && shown_at([], "heatmap"), at = family === "relative" || fits ? [] : few;
  const drawn = (kind) => (kind === "heatmap" && fits) || (kind === "decay" && shown_at(few, kind)) || shown_at(at, kind);
  if (family === "relative") {
    const line = drawn("curves");
    return {...facts, kinds: [...(line ? ["curves"] : []), "square", ...(line && drawn("buckets") ? ["buckets"] : [])]};
  }
  const shown = ["heatmap", "waves", "similarity", "wavelengths", "rules", "decay"].filter(drawn);
  return {...facts, kinds: family === "rotary" ? ["circles", ...(axes === 2 ? ["directions"] : []), ...shown] : axes === 2 ? ["patches", ...shown] : shown};
}

// info: the scheme as the tool lists it, with what probe() found.
export function make_picture(kind, asked, info) {
  return makers[kind](asked, info);
}
