// content.js: pictures of terms that read queries, keys or gates, and so need a text. Its tokens are words that the reader gives,
// or made up; equal words have equal queries, keys and gates.
import * as engine from "../engine.js";
import {digits} from "../html.js";
import {t} from "../i18n.js";
import {nested} from "../state.js";
import {features, seed_of} from "../turn.js";
import {evenly, listed, most, range, title} from "./rows.js";

const usual_count = 48, most_in_square = 256, any_heads = 2, any_dim = 16;

// What an option of the scheme is now, as the library lists it.
const option = (info, name) => info.fields.find((field) => field.name === name)?.default;
const count_to = (count) => Array.from({length: count}, (_, i) => i);

// Where queries and keys are the cells of a picture: {height, width, keys: {height, width}}.
function grid_of(info) {
  const [height, width, down, right] = ["height", "width", "key_height", "key_width"].map((name) => Number(option(info, name) ?? 0));
  return height && width ? {height, width, keys: {height: down || height, width: right || width}} : null;
}

// {words, queries, keys}: words, where there are some, and positions; two segments where these are what is counted.
function places(asked, info) {
  const words = asked.text?.trim().split(/\s+/).filter(Boolean) ?? [], grid = grid_of(info);
  const both = (at) => ({words, queries: at, keys: at});
  if (asked.tokens) return both([...listed(asked.tokens) ?? []]);
  if (grid) return {words: [], queries: count_to(grid.height * grid.width), keys: count_to(grid.keys.height * grid.keys.width)};
  const count = words.length || usual_count, halves = info.fields.some((field) => field.name === "joined");
  return both(count_to(count).map((i) => (halves ? Number(i >= count / 2) : i)));
}

export const count_of_text = (asked, info) => places(asked, info).queries.length;

// Numbers for each of the tokens whose numbers are listed: those of its word, or of its own.
function of_tokens(list, words, size, salt) {
  const out = new Float32Array(list.length * size);
  list.forEach((token, i) => out.set(features(size, words.length ? seed_of(words[token % words.length]) + salt : 1000 * salt + 77 * token + 1), i * size));
  return out;
}

// What the scheme adds to the scores of some queries, or of all: {values: [heads, queries, keys], heads, words, queries, keys}.
// NaN where a key comes after the query of a causal model. What a scheme does not read, it ignores.
export function term(asked, info, only = null) {
  const {words, queries, keys} = places(asked, info), of_queries = only ?? count_to(queries.length), of_keys = count_to(keys.length);
  const heads = Number(option(info, "heads") || any_heads), dim = Number(option(info, "dim") ?? any_dim), [n, m] = [of_queries.length, of_keys.length];
  const q = of_tokens(of_queries, words, heads * dim, 2), k = of_tokens(of_keys, words, heads * dim, 3);
  const gates = of_tokens(of_keys, words, heads, 5).map((v) => -Math.log1p(Math.exp(-2 - 2 * v)));  // log sigmoid
  const before = scores_of(q, k, {heads, dim, n, m}), at = (list, positions) => ({shape: [list.length], data: BigInt64Array.from(list, (i) => BigInt(positions[i]))});
  const {data} = engine.with_term(asked.scheme, {...(asked.preset ? {preset: asked.preset} : {}), ...nested(asked.options)}, {
    q: {shape: [n, heads, dim], data: q}, k: {shape: [m, heads, dim], data: k}, gates: {shape: [m, heads], data: gates},
    scores: {shape: [heads, n, m], data: before}, queries: at(of_queries, queries), keys: at(of_keys, keys)}, is_causal(asked, info));
  return {words, queries, keys, heads, values: data.map((v, i) => (Number.isFinite(v) ? v - before[i] : NaN))};
}

// q . k / sqrt(dim)
function scores_of(q, k, {heads, dim, n, m}) {
  const out = new Float32Array(heads * n * m);
  for (let h = 0; h < heads; ++h)
    for (let i = 0; i < n; ++i)
      for (let j = 0; j < m; ++j) {
        let sum = 0;
        for (let c = 0; c < dim; ++c) sum += q[(i * heads + h) * dim + c] * k[(j * heads + h) * dim + c];
        out[(h * n + i) * m + j] = sum / Math.sqrt(dim);
      }
  return out;
}

// Of models that read texts forwards, unless the reader says otherwise; not where keys after the query are what counts.
const both_ways = new Set(["deberta", "segments", "shaw", "gated-t5", "decomposed"]);
export function is_causal(asked, info) {
  return asked.causal ? asked.causal === "true" : !both_ways.has(info.name) && option(info, "side") !== "after";
}

const shown = (words, at, i) => (words.length ? words[i % words.length] : digits(at[i]));
const head_of = (asked, heads) => Math.min(Number(asked.head ?? 0), heads - 1);
const highest = (values) => most(values.map((v) => v || 0)) || 1;

// Positions that ascend; others, as those of segments, are counted.
const even = (at) => (at.every((v, i) => i === 0 || v > at[i - 1]) ? at : range(at.length));
function axis_of(label, words, at) {
  if (words.length && at.length <= 24) return {label, names: at.map((_, i) => shown(words, at, i))};
  return {label, at: evenly(even(at))};
}

export function square_of_term(asked, info) {
  const small = !asked.tokens && count_of_text(asked, info) > most_in_square ? {...asked, tokens: `0:${most_in_square}`} : asked;
  const {words, queries, keys, heads, values: all} = term(small, info), [n, m] = [queries.length, keys.length], head = head_of(asked, heads);
  const values = all.slice(head * n * m, (head + 1) * n * m), high = highest(values);
  return {type: "heat", square: n === m, title: title(asked, t("term")), rows: n, cols: m, values, low: -high, high,
    x: axis_of(t("key"), words, keys), y: axis_of(t("query"), words, queries),
    tell: (r, c, text) => `${t("query")} ${shown(words, queries, r)}, ${t("key")} ${shown(words, keys, c)}: ${text === "NaN" ? t("masked") : `${t("term")} ${text}`}`};
}

// What one query, the last unless told, gets from each key.
export function row_of_term(asked, info) {
  const i = Math.min(Number(asked.q ?? Infinity), count_of_text(asked, info) - 1), {words, queries, keys, heads, values} = term(asked, info, [i]);
  const some = [...new Set(heads <= 6 ? range(heads) : [0, 1, 2, 3, 4, 5].map((n) => Math.round((n * (heads - 1)) / 5)))], x = even(keys), m = keys.length;
  return {type: "lines", dots: words.length > 0, title: title(asked, t("row_of_term")), x: {label: t("key")}, y: {label: t("term")},
    about: `${t("query")} ${shown(words, queries, i)}` + (words.length ? ` (${i})` : ""),
    curves: some.map((head) => ({name: `${t("head")} ${head}`, x, y: Array.from(x, (_, j) => values[head * m + j])}))};
}

// On a picture: what the query of one cell gets from each cell.
export function cells_of_term(asked, info) {
  const grid = grid_of(info), {height, width} = grid.keys, [row, column] = (asked.patch || `${grid.height >> 1},${grid.width >> 1}`).split(",").map(Number);
  const {heads, values: all} = term({...asked, tokens: ""}, info, [row * grid.width + column]), head = head_of(asked, heads);
  const values = all.slice(head * height * width, (head + 1) * height * width), high = highest(values);
  return {type: "heat", title: title(asked, t("cells_of_term")), rows: height, cols: width, values, low: -high, high,
    x: {label: t("column")}, y: {label: t("row")}, tell: (r, c, text) => `(${row}, ${column}) · (${r}, ${c}): ${t("term")} ${text}`};
}

export const probe_content = (asked, info) => ({made_up: true, kinds: [...(grid_of(info) ? ["cells_of_term"] : []), "square_of_term", "row_of_term"]});
