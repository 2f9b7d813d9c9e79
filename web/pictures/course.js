// course.js: the figures and tables of the course, each made by the tool when it is shown. A figure is a list of pictures side
// by side, a table {head, rows}; each comes with the code that makes it outside of the page.
import {code_of} from "../code.js";
import {convolution_code, graph_code} from "../code_live.js";
import {explain_code} from "../code_models.js";
import {positions_code} from "../code_positions.js";
import * as engine from "../engine.js";
import {digits} from "../html.js";
import {about_of, claim_of, t} from "../i18n.js";
import {make_picture} from "./all.js";
import {attention_code, check_code, frequency_code, list_code, shift_code} from "./course_code.js";
import {drawing, graph_words, network} from "./nodes.js";
import {scheme_words, table as rows_of} from "./rows.js";
import {samples} from "./samples.js";
import {strip_of} from "./strips.js";

const sinusoidal = (options) => ({scheme: "sinusoidal", options: {dim: "64", ...options}});
const one_axis = {family: "absolute", axes: 1, real: false};

// Four words, their vectors made up once, in two orders.
const sentences = [["我", "喜欢", "吃", "苹果"], ["苹果", "喜欢", "吃", "我"]];
const width = 8;
const vectors = {"我": [0.9, -0.3, 0.5, 0.1, -0.7, 0.4, 0.2, -0.6], "喜欢": [-0.2, 0.8, 0.1, -0.5, 0.3, 0.6, -0.4, 0.7],
  "吃": [0.4, 0.2, -0.9, 0.6, 0.1, -0.3, 0.8, 0.5], "苹果": [-0.6, 0.5, 0.3, 0.9, -0.1, 0.2, 0.7, -0.4]};

// softmax(x x^T / sqrt(width)) and what it makes of x.
function attention(x) {
  const weights = x.map((q) => {
    const powers = x.map((k) => Math.exp(q.reduce((sum, v, c) => sum + v * k[c], 0) / Math.sqrt(width)));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((v) => v / sum);
  });
  return {weights, out: weights.map((row) => Array.from({length: width}, (_, c) => row.reduce((sum, w, j) => sum + w * x[j][c], 0)))};
}

function read(sentence, with_positions) {
  const rows = rows_of(sinusoidal({dim: String(width)}), `0:${sentence.length}`).data;
  return attention(sentence.map((word, p) => vectors[word].map((v, c) => v + (with_positions ? rows[p * width + c] : 0))));
}

function attention_picture(sentence, with_positions) {
  const {weights} = read(sentence, with_positions), count = sentence.length;
  return {type: "heat", square: true, rows: count, cols: count, values: Float32Array.from(weights.flat()), low: -0.6, high: 0.6,
    title: `${sentence.join("")}: ${t(with_positions ? "with_positions" : "without_positions")}`, caption: true, x: {label: t("key"), names: sentence}, y: {label: t("query"), names: sentence},
    tell: (r, c, text) => `${sentence[r]} → ${sentence[c]}: ${text}`};
}

// How far what a word becomes differs between the two orders.
function order_table() {
  const rows = sentences[0].map((word) => [word, ...[false, true].map((positions) => {
    const [a, b] = sentences.map((sentence) => read(sentence, positions).out[sentence.indexOf(word)]);
    return digits(Math.max(...a.map((v, c) => Math.abs(v - b[c]))), 3);
  })]);
  return {head: [t("word"), t("without_positions"), t("with_positions")], rows};
}

function sum_picture(name, rows) {
  return {type: "heat", rows: 4, cols: width, values: Float32Array.from(rows.flat()), low: -2, high: 2, title: name, caption: true,
    x: {label: t("column")}, y: {label: t("word"), names: sentences[0]}, tell: (r, c, text) => `${sentences[0][r]}, ${t("column")} ${c}: ${text}`};
}

function input_pictures() {
  const data = rows_of(sinusoidal({dim: String(width)}), "0:4").data;
  const words = sentences[0].map((word) => vectors[word]), rows = [0, 1, 2, 3].map((p) => [...data.subarray(p * width, (p + 1) * width)]);
  return [sum_picture(t("embedding"), words), sum_picture("+ PE", rows), sum_picture("= " + t("input"), words.map((v, p) => v.map((x, c) => x + rows[p][c])))];
}

function checked(words, ...names) {
  const found = engine.json(["check", ...words]).properties.filter((p) => names.length === 0 || names.includes(p.name));
  return {head: [t("property"), t("verdict"), t("evidence")], rows: found.map((p) => [claim_of(p), t(p.verdict), p.evidence])};
}

function value_table() {
  const {data} = rows_of(sinusoidal({dim: "4"}), "0:4");
  return {head: [t("position"), "sin(p)", "cos(p)", "sin(p/100)", "cos(p/100)"],
    rows: [0, 1, 2, 3].map((p) => [String(p), ...[0, 1, 2, 3].map((c) => digits(data[p * 4 + c]))])};
}

function wave_table() {
  const told = engine.json(["frequencies", "sinusoidal", "--dim", "64"]).frequencies, seen = new Set();
  const pairs = told.filter((f) => !seen.has(f.frequency) && seen.add(f.frequency)).filter((_, i) => i % 8 === 0 || i === 31);
  return {head: [t("column"), "1 / 10000^(2i/d)", t("wavelength")],
    rows: pairs.map((f) => [String(f.column ?? f.pair * 2), digits(f.frequency), digits(f.wavelength)])};
}

function matrix_table(k) {
  const {matrix} = engine.json(["shift", "sinusoidal", "--dim", "4", "--k", String(k)]);
  return {head: [`M_${k}`, "0", "1", "2", "3"], rows: matrix.map((row, r) => [String(r), ...row.map((v) => digits(v, 4))])};
}

// Schemes of a family, or those whose users are named, as `posenc list` tells them.
function users(keep) {
  return {head: [t("scheme"), t("what"), t("used_by")],
    rows: engine.schemes().filter(keep).map((s) => [s.name, about_of(s), s.used_by])};
}

// Presets that someone of that field uses.
function presets(pattern) {
  const rows = engine.schemes().flatMap((s) => s.presets.filter((p) => pattern.test(p.name + " " + p.help)).map((p) => [s.name, p.name, p.help]));
  return {head: [t("scheme"), t("preset"), t("what")], rows};
}

function explained() {
  return {head: [t("model"), t("scheme"), t("length")], rows: Object.entries(samples).map(([name, config]) => {
    const {components} = engine.json(["explain", JSON.stringify(config)]);
    return [name, components.map((c) => `${c.where}: ${c.scheme}`).join(", "), digits(components[0].usable_length)];
  })};
}

const mixed = (segments, model) => ["segments", "--segments", segments, "--model", model];
const two_words = "text:2,image:1x4x4,text:2", words_and_image = mixed("text:3,image:1x4x6,text:4", "qwen2-vl");

function deltas() {
  return {head: [t("model"), "t", "h", "w", "rope_delta"], rows: ["qwen2-vl", "qwen2.5-vl", "qwen3-vl", "glm-4v"].map((model) => {
    const told = engine.json(["positions", ...mixed(two_words, model)]);
    return [model, ...told.positions.map((axis) => axis[0].join(" ")), String(told.rope_delta)];
  })};
}

const eigenvector = {scheme: "laplacian", graph: "grid:4x6", options: {dim: "4"}, column: "0"};
const neighbours = {scheme: "convolution", options: {dim: "16", kernel: "16", groups: "4"}};
const grid_distances = {scheme: "shortest-paths", graph: "grid:3x4", options: {}};
function graph_picture() {
  const {shape: [rows, cols], data} = engine.array(graph_words(grid_distances));
  return {type: "heat", square: true, rows, cols, values: data, low: -5, high: 5, title: "posenc graph grid:3x4 --scheme shortest-paths",
    x: {label: t("node")}, y: {label: t("node")}, tell: (r, c, text) => `${t("node")} ${r}, ${c}: ${text}`};
}

const rope = {scheme: "rope", options: {layout: "half", dim: "32"}}, rotary = {family: "rotary", axes: 1, fields: [{name: "dim", default: 32}]};
const alibi = {scheme: "alibi", options: {heads: "4"}}, grid = {scheme: "grid-sinusoidal", options: {dim: "64"}, grid: "8x12"};

// Figures that are pictures of schemes: [kind, what is asked, what is known of the scheme]; value: what is dragged.
const of_schemes = {
  3: () => [["waves", sinusoidal(), one_axis]],
  4: () => [["heatmap", {...sinusoidal(), positions: "0:64"}, one_axis]],
  5: () => [["similarity", {...sinusoidal(), positions: "0:64"}, one_axis]],
  6: (k) => [["circles", {scheme: "rope", options: {layout: "half", dim: "16"}, q: 5 + k, k: 5}, rotary]],
  7: () => [["rules", rope, rotary]],
  8: () => [["patches", grid, {family: "absolute", axes: 2}]],
  9: () => [["heatmap", {scheme: "sinusoidal", preset: "whisper", options: {dim: "64"}}, one_axis]],
  // what document 002 does not number
  relative: () => [["curves", alibi, {family: "relative"}], ["square", {...alibi, tokens: "0:16"}, {family: "relative"}]],
  learned: () => [["heatmap", {scheme: "learned", options: {rows: "64", dim: "64"}, positions: "0:64"}, {...one_axis, initial: true}]],
  rotary: () => [["decay", {...rope, compare: "base=10000; base=500000"}, rotary]],
  wavelengths: () => [["wavelengths", {...rope, length: "4096"}, rotary]],
};

const rows_code = (dim) => () => code_of("heatmap", {...sinusoidal({dim: String(dim)}), positions: "0:4"}, one_axis);
const both = (specs, code) => specs.map((spec) => ({spec, code}));
const made = {
  1: () => both(input_pictures(), rows_code(width)),
  2: () => both(sentences.flatMap((sentence) => [attention_picture(sentence, false), attention_picture(sentence, true)]), attention_code),
  10: () => both([strip_of(words_and_image)], () => positions_code(words_and_image)),
  network: () => {
    const spec = network(eigenvector);
    return both([spec], () => graph_code(eigenvector, "network", spec));
  },
  convolution: () => both([make_picture("ends", neighbours, engine.schemes(scheme_words(neighbours))[0])], () => convolution_code(neighbours)),
  graph: () => both([graph_picture()], () => graph_code(grid_distances, "nodes", drawing(grid_distances.graph, 12))),
};

// The pictures of a figure: [{spec, code()}].
export function figure(name, value) {
  if (made[name]) return made[name]();
  const shown = (spec) => (name === "4" ? {...spec, values: spec.values.map((v, i) => (i % spec.cols < value ? v : NaN))} : spec);
  return of_schemes[name](value).map((one) => ({spec: shown(make_picture(...one)), code: () => code_of(...one)}));
}

const plain = {scheme: "sinusoidal", options: {dim: "64"}};
const tables = {
  1: () => [checked(["sinusoidal", "--dim", "64"], "unique-rows", "bounded-values", "periodic-pairs", "aperiodic-rows", "fastest-first"), () => check_code(plain)],
  2: () => [order_table(), attention_code],
  3: () => [value_table(), rows_code(4)],
  4: () => [wave_table(), frequency_code],
  5: () => [users((s) => s.family === "absolute"), list_code],
  6: (k) => [matrix_table(k), () => shift_code(k)],
  7: () => [checked(["sinusoidal", "--dim", "64"], "product-by-offset", "offset-readable", "shift-matrix", "constant-norm"), () => check_code(plain)],
  8: () => [checked(["rope", "--preset", "llama"], "full-turns", "all-factors-applied", "layouts-agree"), () => check_code({scheme: "rope", preset: "llama", options: {}})],
  9: () => [explained(), explain_code],
  10: () => [presets(/image|vision|patch|ViT|MAE|DETR|Swin|SAM/), list_code],
  11: () => [presets(/whisper|wav2vec|speech|audio|music|conformer|WavLM|VITS/i), list_code],
  12: () => [deltas(), () => positions_code(mixed(two_words, "qwen2-vl"))],
};

export function table(name, title, value) {
  const [rows, code] = tables[name](value);
  return {spec: {type: "table", title, ...rows}, code};
}
