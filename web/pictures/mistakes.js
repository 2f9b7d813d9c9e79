// mistakes.js: classic mistakes as data: each with a picture of what is right and one of what the mistake makes of it.
import {t} from "../i18n.js";
import {alike, bf16, scores} from "../turn.js";
import {make_picture} from "./all.js";
import {range, scheme_words} from "./rows.js";
import {strip_of} from "./strips.js";

const absolute = {family: "absolute", axes: 1, real: false}, relative = {family: "relative"};
const sinusoidal = (options = {}, more = {}) => ({scheme: "sinusoidal", options: {dim: "64", ...options}, positions: "0:96", ...more});
const rope = (options = {}) => scheme_words({scheme: "rope", options: {layout: "half", dim: "64", ...options}});
const degrees = {scheme: "sinusoidal", preset: "degrees", options: {}, positions: "0:96"};

const similar = (asked) => make_picture("similarity", asked, absolute);
const rows = (asked) => make_picture("heatmap", {...asked, positions: asked.rows ?? "0:32"}, absolute);

// The score of a query with a key so far before it. first: where the text begins; key: added to the key's position;
// rounded: what becomes of a query's position.
function by_distance(words, {first = 0, key = 0, rounded = (p) => p} = {}) {
  const x = range(129), queries = Array.from(x, (d) => rounded(first + d)).join(",");
  const y = scores(alike(64), {queries, count: x.length, key: String(rounded(first + key))}, words);
  return {type: "lines", title: t("score_effect"), x: {label: t("distance")}, y: {label: t("score")}, curves: [{name: "", x, y}]};
}

const alibi = (factor, options = {}) => {
  const spec = make_picture("curves", {scheme: "alibi", options: {heads: "4", ...options}, positions: "-64:1"}, relative);
  return {...spec, y: {...spec.y, low: -64, high: factor < 0 ? 64 : 0}, curves: spec.curves.map((c) => ({...c, y: Array.from(c.y, (v) => factor * v)}))};
};
const t5 = (bidirectional) => make_picture("buckets", {scheme: "t5", options: {bidirectional, heads: "4"}, positions: "-160:1"},
  {...relative, learned: [{shape: [32, 4]}]});
const padded = "--mask 00111111 --pad_rule transformers".split(" ");

// The scheme whose model was measured (of: its name in the data), what is drawn, and a wrong table for identify.
export const mistakes = {
  m_percol: {right: () => similar(sinusoidal()), wrong: () => similar(sinusoidal({}, {preset: "per-column"})), table: sinusoidal({}, {preset: "per-column"})},
  m_raw: {right: () => similar(sinusoidal()), wrong: () => similar(sinusoidal({}, {preset: "raw-index"})), table: sinusoidal({}, {preset: "raw-index"})},
  m_degrees: {right: () => similar(sinusoidal({dim: "2"})), wrong: () => similar(degrees), table: degrees},
  m_thousand: {right: () => similar(sinusoidal()), wrong: () => similar(sinusoidal({base: "1000"})), table: sinusoidal({base: "1000"})},
  m_swapped: {right: () => rows(sinusoidal()), wrong: () => rows(sinusoidal({first: "cosine"})), table: sinusoidal({first: "cosine"})},
  m_order: {right: () => rows(sinusoidal()), wrong: () => rows(sinusoidal({order: "halves"})), table: sinusoidal({order: "halves"})},
  m_first: {right: () => rows(sinusoidal()), wrong: () => rows(sinusoidal({}, {rows: "1:33"})), table: sinusoidal({}, {positions: "1:97"})},
  m_pad: {right: () => strip_of(["padding", ...padded]), wrong: () => strip_of(["range", "--tokens", "8"])},
  m_layout: {right: () => by_distance(rope()), wrong: () => by_distance(rope({layout: "interleaved"}))},
  m_sign: {right: () => by_distance(rope()), wrong: () => by_distance(rope({sign: "negative"}))},
  m_keys: {right: () => by_distance(rope()), wrong: () => by_distance(rope(), {key: -1})},
  m_base: {right: () => by_distance(rope()), wrong: () => by_distance(rope({base: "500000"}))},
  m_scaling: {right: () => by_distance(rope({scaling: "linear", "scaling.factor": "8"})), wrong: () => by_distance(rope())},
  m_twice: {right: () => by_distance(rope({scaling: "linear", "scaling.factor": "4"})), wrong: () => by_distance(rope({scaling: "linear", "scaling.factor": "16"}))},
  m_offset: {right: () => by_distance(rope(), {first: 1000}), wrong: () => by_distance(rope(), {key: 1000})},
  m_f32: {right: () => by_distance(rope(), {first: 1e7}), wrong: () => by_distance(rope({numerics: "torch-f32"}), {first: 1e7})},
  m_bf16: {right: () => by_distance(rope(), {first: 1e5}), wrong: () => by_distance(rope(), {first: 1e5, rounded: bf16})},
  m_alibi: {right: () => alibi(1), wrong: () => alibi(-1)},
  m_slopes: {right: () => alibi(1), wrong: () => alibi(1, {bias_max: "7"})},
  m_unscaled: {right: () => alibi(1), wrong: () => alibi(1 / 8)},
  m_t5: {right: () => t5("false"), wrong: () => t5("true")},
};

// What a mistake costs a model, if the page was built with such data: rows {key, scheme, name, mean, low, high, right}.
export function measured() {
  const data = self.posenc_mistakes;
  if (!data) return null;
  return {...data, mistakes: data.mistakes.map((one) => ({...one, right: one.baseline ?? data.baseline?.[one.scheme]}))};
}
