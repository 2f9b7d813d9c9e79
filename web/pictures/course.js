// course.js: the figures of the course, each made by the tool when it is shown: a list of pictures side by side, which come with
// the code that makes them outside of the page.
import {code_of} from "../code.js";
import {convolution_code, graph_code} from "../code_live.js";
import {positions_code} from "../code_positions.js";
import * as engine from "../engine.js";
import {t} from "../i18n.js";
import {make_picture} from "./all.js";
import {attention_code} from "./course_code.js";
import {drawing, graph_words, network} from "./nodes.js";
import {scheme_words, table as rows_of} from "./rows.js";
import {strip_of} from "./strips.js";
import {read, sentences_of, vector_of, width, written} from "./two_orders.js";

const sinusoidal = (options) => ({scheme: "sinusoidal", options: {dim: "64", ...options}});
const one_axis = {family: "absolute", axes: 1, real: false};

function attention_picture(sentence, with_positions) {
  const {weights} = read(sentence, with_positions), count = sentence.length;
  return {type: "heat", square: true, rows: count, cols: count, values: Float32Array.from(weights.flat()), low: -0.6, high: 0.6,
    title: `${written(sentence)}: ${t(with_positions ? "with_positions" : "without_positions")}`, caption: true, x: {label: t("key"), names: sentence}, y: {label: t("query"), names: sentence},
    tell: (r, c, text) => `${sentence[r]} → ${sentence[c]}: ${text}`};
}

function sum_picture(name, sentence, rows) {
  return {type: "heat", rows: sentence.length, cols: width, values: Float32Array.from(rows.flat()), low: -2, high: 2, title: name, caption: true,
    x: {label: t("column")}, y: {label: t("word"), names: sentence}, tell: (r, c, text) => `${sentence[r]}, ${t("column")} ${c}: ${text}`};
}

function input_pictures(sentence) {
  const data = rows_of(sinusoidal({dim: String(width)}), `0:${sentence.length}`).data;
  const words = sentence.map(vector_of), rows = words.map((_, p) => [...data.subarray(p * width, (p + 1) * width)]);
  const sums = words.map((v, p) => v.map((x, c) => x + rows[p][c]));
  return [[t("embedding"), words], ["+ PE", rows], ["= " + t("input"), sums]].map(([name, shown]) => sum_picture(name, sentence, shown));
}

const words_and_image = ["segments", "--segments", "text:3,image:1x4x6,text:4", "--model", "qwen2-vl"];

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

// Figures that are pictures of schemes: [kind, what is asked, what is known of the scheme]; value: what is dragged or typed.
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

const both = (specs, code) => specs.map((spec) => ({spec, code}));
const made = {
  1: (words) => {
    const [sentence] = sentences_of(words);
    return both(input_pictures(sentence), () => code_of("heatmap", {...sinusoidal({dim: String(width)}), positions: `0:${sentence.length}`}, one_axis));
  },
  2: (words) => {
    const sentences = sentences_of(words), pictures = sentences.flatMap((one) => [false, true].map((with_positions) => attention_picture(one, with_positions)));
    return both(pictures, () => attention_code(sentences[0].length));
  },
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
  if (made[name]) return made[name](value);
  const shown = (spec) => (name === "4" ? {...spec, values: spec.values.map((v, i) => (i % spec.cols < value ? v : NaN))} : spec);
  return of_schemes[name](value).map((one) => ({spec: shown(make_picture(...one)), code: () => code_of(...one)}));
}
