// mistakes.js: classic mistakes as data, and the pictures of what is right and of what the mistakes make of it.
import * as engine from "../engine.js";
import {t} from "../i18n.js";
import {alike, bf16, features, scores, turned} from "../turn.js";
import {range, scheme_words, table} from "./rows.js";

const same = (v) => v, linear = {scaling: "linear", "scaling.factor": "4"};
const one_further = {query: 1, key: 1}, two_further = {query: 2, key: 2};

// Of each scheme: its options, and its mistakes. A mistake says what it makes of options, what it adds to the positions of
// queries and keys, how it rounds them, by what it multiplies biases; right: options that a model needs for it to be made;
// first: where the text begins.
export const schemes = {
  sinusoidal: {family: "absolute", options: {dim: "64"}, mistakes: {
    m_percol: {options: {rule: "per-column"}}, m_raw: {options: {rule: "raw-index"}}, m_degrees: {options: {position_scale: String(Math.PI / 180)}},
    m_thousand: {options: {base: "1000"}}, m_swapped: {options: {first: "cosine"}}, m_order: {options: {order: "halves"}},
    m_first: one_further, m_pad: two_further}},
  learned: {family: "absolute", initial: true, options: {rows: "128", dim: "64"}, mistakes: {m_first: one_further, m_pad: two_further}},
  rope: {family: "rotary", options: {layout: "half", dim: "64"}, mistakes: {
    m_layout: {options: {layout: "interleaved"}}, m_sign: {options: {sign: "negative"}}, m_base: {options: {base: "500000"}},
    m_scaling: {right: linear, options: {"scaling.factor": "1"}}, m_twice: {right: linear, options: {"scaling.factor": "16"}},
    m_keys: {key: -1}, m_offset: {first: 1000, query: -1000}, m_first: one_further, m_pad: two_further,
    m_f32: {first: 1e7, options: {numerics: "torch-f32"}}, m_bf16: {first: 1e5, rounded: bf16}}},
  alibi: {family: "relative", options: {heads: "4"}, mistakes: {m_alibi: {factor: -1}, m_slopes: {options: {bias_max: "7"}}, m_unscaled: {factor: 1 / 8}}},
  t5: {family: "relative", options: {heads: "4", bidirectional: "false"}, mistakes: {m_t5: {options: {bidirectional: "true"}}}},
};

// Mistakes that change the same option exclude each other.
export function exclude(one, other) {
  return Object.keys(one.options ?? {}).some((name) => name in (other.options ?? {}));
}

// {right, wrong}: {scheme, options, first, query, key, rounded, factor} with all of these mistakes.
export function sides(scheme, names) {
  const {options, family, initial, mistakes} = schemes[scheme], made = names.map((name) => mistakes[name]);
  const merged = (name) => Object.assign({}, ...made.map((one) => one[name]));
  const sum = (name) => made.reduce((total, one) => total + (one[name] ?? 0), 0);
  const right = {scheme, family, initial, options: {...options, ...merged("right")}, first: Math.max(0, ...made.map((one) => one.first ?? 0)),
    query: 0, key: 0, rounded: same, factor: 1};
  return {right, wrong: {...right, options: {...right.options, ...merged("options")}, query: sum("query"), key: sum("key"),
    rounded: made.find((one) => one.rounded)?.rounded ?? same, factor: made.reduce((product, one) => product * (one.factor ?? 1), 1)}};
}

// Where so many tokens of a side stand, as the tool takes it.
export const keys_at = (side, count) => Array.from({length: count}, (_, i) => side.rounded(side.first + i + side.key)).join(",");
export const queries_at = (side, count) => Array.from({length: count}, (_, i) => side.rounded(side.first + i + side.query)).join(",");

// What stands for each position: the row that is added, or a key that was rotated there.
function rows_of(side, count) {
  if (side.family === "absolute") return table(side, keys_at(side, count)).data;
  return turned(scheme_words(side), features(64, 11), 64, keys_at(side, count), count);
}

// Cosines of the rows of one side with those of another.
function cosines(a, b, count, dim) {
  const length = (rows, r) => Math.hypot(...rows.subarray(r * dim, (r + 1) * dim));
  const of_a = range(count).map((_, r) => length(a, r)), of_b = range(count).map((_, r) => length(b, r));
  const out = new Float32Array(count * count);
  for (let i = 0; i < count; ++i)
    for (let j = 0; j < count; ++j) {
      let sum = 0;
      for (let c = 0; c < dim; ++c) sum += a[i * dim + c] * b[j * dim + c];
      out[i * count + j] = sum / (of_a[i] * of_b[j]);
    }
  return out;
}

// How alike what a model was trained with at one position and what it is given at another are.
function similarity(side, right) {
  const count = 64, values = cosines(rows_of(right, count), rows_of(side, count), count, 64);
  return {type: "heat", square: true, title: t("similarity_effect"), rows: count, cols: count, values, low: -1, high: 1,
    x: {label: t("as_given")}, y: {label: t("as_trained")},
    tell: (r, c, text) => `${t("as_trained")} ${r}, ${t("as_given")} ${c}: ${t("product")} ${text}`};
}

const by_distance = (title, curves, y = {label: t("score")}) => ({type: "lines", title, x: {label: t("distance")}, y, curves});

// The score of a query with a key so far before it.
function rotary_score(side) {
  const count = 129, at = {queries: queries_at(side, count), count, key: String(side.rounded(side.first + side.key))};
  return by_distance(t("score_effect"), [{name: "", x: range(count), y: scores(alike(64), at, scheme_words(side))}]);
}

// The score of a head that was trained to look three tokens back: it turns the row of its token by M_-3.
function absolute_score(side, right) {
  const count = 48, {matrix} = engine.json(["shift", ...scheme_words(right), "--k", "-3"]), rows = rows_of(side, count);
  const row = (p) => rows.subarray(p * 64, (p + 1) * 64), last = row(count - 1);
  const query = matrix.map((line) => line.reduce((sum, v, c) => sum + v * last[c], 0));
  const y = range(count).map((_, d) => row(count - 1 - d).reduce((sum, v, c) => sum + v * query[c], 0) / 32);
  return by_distance(t("head_effect"), [{name: "", x: range(count), y}]);
}

// Biases of distances -64 .. 0; of T5, whose table is learned, of one that falls from bucket to bucket by 0.2.
function biases(side) {
  const words = ["table", ...scheme_words(side), "--positions", "-64:1"];
  if (side.scheme === "t5") {
    engine.write_file("/falling.npy", engine.to_npy([32, 4], range(128).map((i) => -0.2 * Math.floor(i / 4))));
    words.push("--weights", "/falling.npy");
  }
  const {shape: [count, heads], data} = engine.array(words), shown = side.scheme === "t5" ? 1 : heads;
  return Array.from({length: shown}, (_, head) => ({name: `${t("head")} ${head}`, x: range(count),
    y: range(count).map((_, d) => side.factor * data[(count - 1 - d) * heads + head])}));
}

const bias_picture = (side) => by_distance(t("bias_effect"), biases(side), {label: t("bias")});

// What softmax makes of the biases where contents are all alike.
function attention_picture(side) {
  return by_distance(t("attention_effect"), biases(side).map((curve) => {
    const most = Math.max(...curve.y), powers = curve.y.map((v) => Math.exp(v - most)), sum = powers.reduce((a, b) => a + b, 0);
    return {...curve, y: powers.map((v) => v / sum)};
  }), {label: t("attention")});
}

function place_strip(side) {
  return {type: "strip", title: t("positions"), axis_names: [t("position")], rows: [{name: "", axes: [keys_at(side, 8).split(",").map(Number)]}]};
}

// The pictures of a scheme, each made of a side: (side, right) => what is drawn.
export const pictures = {
  sinusoidal: {similarity, score: absolute_score}, learned: {similarity, place: place_strip}, rope: {similarity, score: rotary_score},
  alibi: {bias: bias_picture, attention: attention_picture}, t5: {bias: bias_picture, attention: attention_picture},
};

// What a mistake costs a model, if the page was built with such data: rows {key, scheme, name, mean, low, high, right}.
export function measured() {
  const data = self.posenc_mistakes;
  if (!data) return null;
  return {...data, mistakes: data.mistakes.map((one) => ({...one, right: one.baseline ?? data.baseline?.[one.scheme]}))};
}
