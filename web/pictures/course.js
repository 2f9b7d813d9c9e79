// course_figures.js: the figures and tables of the course, each made by the tool when it is shown. A figure is a list of
// pictures side by side; a table is {head, rows}.
import * as engine from "../engine.js";
import {digits} from "../html.js";
import {t} from "../i18n.js";
import {make_picture} from "./all.js";
import {table as rows_of} from "./rows.js";
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
  return {head: [t("property"), t("verdict"), t("evidence")], rows: found.map((p) => [p.claim, t(p.verdict), p.evidence])};
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
    rows: engine.schemes().filter(keep).map((s) => [s.name, s.about, s.used_by])};
}

// Presets that someone of that field uses.
function presets(pattern) {
  const rows = engine.schemes().flatMap((s) => s.presets.filter((p) => pattern.test(p.name + " " + p.help)).map((p) => [`${s.name} --preset ${p.name}`, p.help]));
  return {head: [t("scheme"), t("what")], rows};
}

function explained() {
  return {head: [t("model"), t("scheme"), t("length")], rows: Object.entries(samples).map(([name, config]) => {
    const {components} = engine.json(["explain", JSON.stringify(config)]);
    return [name, components.map((c) => `${c.where}: ${c.scheme}`).join(", "), digits(components[0].usable_length)];
  })};
}

function deltas() {
  return {head: [t("model"), "t", "h", "w", "rope_delta"], rows: ["qwen2-vl", "qwen2.5-vl", "qwen3-vl", "glm-4v"].map((model) => {
    const told = engine.json(["positions", "segments", "--segments", "text:2,image:1x4x4,text:2", "--model", model]);
    return [model, ...told.positions.map((axis) => axis[0].join(" ")), String(told.rope_delta)];
  })};
}

function graph_picture() {
  const {shape: [rows, cols], data} = engine.array(["graph", "grid:3x4", "--scheme", "shortest-paths"]);
  return {type: "heat", square: true, rows, cols, values: data, low: -5, high: 5, title: "posenc graph grid:3x4 --scheme shortest-paths",
    x: {label: t("node")}, y: {label: t("node")}, tell: (r, c, text) => `${t("node")} ${r}, ${c}: ${text}`};
}

const rope = {scheme: "rope", options: {layout: "half", dim: "32"}}, rotary = {family: "rotary", axes: 1, fields: [{name: "dim", default: 32}]};
const alibi = {scheme: "alibi", options: {heads: "4"}}, grid = {scheme: "grid-sinusoidal", options: {dim: "64"}, grid: "8x12"};

export const figures = {
  1: input_pictures,
  2: () => [attention_picture(sentences[0], false), attention_picture(sentences[0], true)],
  3: () => [make_picture("waves", sinusoidal(), one_axis)],
  4: (columns) => [{...make_picture("heatmap", {...sinusoidal(), positions: "0:64"}, one_axis), shown: columns}],
  5: () => [make_picture("similarity", {...sinusoidal(), positions: "0:64"}, one_axis)],
  6: (k) => [make_picture("circles", {scheme: "rope", options: {layout: "half", dim: "16"}, q: 5 + k, k: 5}, rotary)],
  7: () => [make_picture("rules", rope, rotary)],
  8: () => [make_picture("patches", grid, {family: "absolute", axes: 2})],
  9: () => [make_picture("heatmap", {scheme: "sinusoidal", preset: "whisper", options: {dim: "64"}}, one_axis)],
  10: () => [strip_of(["segments", "--segments", "text:3,image:1x4x6,text:4", "--model", "qwen2-vl"])],
  // what document 002 does not number
  relative: () => [make_picture("curves", alibi, {family: "relative"}), make_picture("square", {...alibi, tokens: "0:16"}, {family: "relative"})],
  learned: () => [make_picture("heatmap", {scheme: "learned", options: {rows: "64", dim: "64"}, positions: "0:64"}, one_axis)],
  rotary: () => [make_picture("decay", {...rope, compare: "base=10000; base=500000"}, rotary)],
  wavelengths: () => [make_picture("wavelengths", {...rope, length: "4096"}, rotary)],
  graph: () => [graph_picture()],
};

export const tables = {
  1: () => checked(["sinusoidal", "--dim", "64"], "unique-rows", "bounded-values", "periodic-pairs", "aperiodic-rows", "fastest-first"),
  2: order_table,
  3: value_table,
  4: wave_table,
  5: () => users((s) => s.family === "absolute"),
  6: matrix_table,
  7: () => checked(["sinusoidal", "--dim", "64"], "product-by-offset", "offset-readable", "shift-matrix", "constant-norm"),
  8: () => checked(["rope", "--preset", "llama"], "full-turns", "all-factors-applied", "layouts-agree"),
  9: explained,
  10: () => presets(/image|vision|patch|ViT|MAE|DETR|Swin|SAM/),
  11: () => presets(/whisper|wav2vec|speech|audio|music|conformer|WavLM|VITS/i),
  12: deltas,
};

// What prints a figure or a table outside of the page.
export const commands = {
  f1: "posenc table sinusoidal --dim 8 --positions 0:4",
  f3: "posenc show sinusoidal --dim 64 --kind waves --out waves.svg",
  f4: "posenc show sinusoidal --dim 64 --kind heatmap --positions 0:64 --out formula.svg",
  f5: "posenc show sinusoidal --dim 64 --kind similarity --positions 0:64 --out similarity.svg",
  f6: "posenc table rope --layout half --dim 16 --positions 5,8",
  f7: "posenc show rope --layout half --dim 32 --kind rules --compare 'linear factor=4; ntk factor=4; yarn factor=4; llama3 factor=4 original=4096' --out rules.svg",
  f8: "posenc show grid-sinusoidal --dim 64 --kind patches --grid 8x12 --out patches.svg",
  f9: "posenc show sinusoidal --preset whisper --dim 64 --kind heatmap --out whisper.svg",
  f10: "posenc positions segments --segments text:3,image:1x4x6,text:4 --model qwen2-vl",
  frelative: "posenc show alibi --heads 4 --kind curves --out alibi.svg",
  flearned: "posenc show learned --rows 64 --dim 64 --kind heatmap --positions 0:64 --out learned.svg",
  frotary: "posenc show rope --layout half --dim 32 --kind decay --compare 'base=10000; base=500000' --out decay.svg",
  fwavelengths: "posenc show rope --layout half --dim 32 --kind wavelengths --out wavelengths.svg",
  fgraph: "posenc graph grid:3x4 --scheme shortest-paths",
  t1: "posenc check sinusoidal --dim 64",
  t3: "posenc table sinusoidal --dim 4 --positions 0:4",
  t4: "posenc frequencies sinusoidal --dim 64",
  t5: "posenc list",
  t6: "posenc shift sinusoidal --dim 4 --k 3",
  t7: "posenc check sinusoidal --dim 64",
  t8: "posenc check rope --preset llama",
  t9: "posenc explain config.json",
  t10: "posenc list grid-sinusoidal",
  t11: "posenc list sinusoidal",
  t12: "posenc positions segments --segments text:2,image:1x4x4,text:2 --model qwen2-vl",
};
