// course_tables.js: the tables of the course, {head, rows, about}, each made by the tool when it is shown, with the code that makes
// it outside of the page.
import {code_of} from "../code.js";
import {explain_code} from "../code_models.js";
import * as engine from "../engine.js";
import {digits} from "../html.js";
import {about_of, claim_of, t} from "../i18n.js";
import {language, mixed, speech, vision} from "./applications.js";
import {attention_code, check_code, frequency_code, list_code, segments_code, shift_code} from "./course_code.js";
import {measured} from "./mistakes.js";
import {table as rows_of} from "./rows.js";
import {other_place, read, sentences_of} from "./two_orders.js";

const sinusoidal = (dim) => ({scheme: "sinusoidal", options: {dim: String(dim)}}), llama = {scheme: "rope", preset: "llama", options: {}};

// How far what a word becomes differs between the two orders.
function order_table(words) {
  const sentences = sentences_of(words), count = sentences[0].length;
  const rows = sentences[0].map((word, place) => [word, ...[false, true].map((positions) => {
    const [one, two] = sentences.map((sentence) => read(sentence, positions).out), a = one[place], b = two[other_place(place, count)];
    return digits(Math.max(...a.map((v, c) => Math.abs(v - b[c]))), 3);
  })]);
  return {head: [t("word"), t("without_positions"), t("with_positions")], rows, about: t("about_order")};
}

const properties = (words) => engine.json(["check", ...words]).properties;

function checked(words, ...names) {
  return {head: [t("property"), t("verdict"), t("evidence")],
    rows: properties(words).filter((p) => names.includes(p.name)).map((p) => [claim_of(p), t(p.verdict), p.evidence])};
}

// What does not hold, by the tool, and by models of the lab where the page was built with their results.
function drawbacks() {
  const failing = (words) => properties(words).filter((p) => p.verdict === "fails").map((p) => [words.join(" "), claim_of(p), p.evidence]);
  const {lengths} = measured() ?? {}, bits = (v) => v.toFixed(3);
  const trained = (scheme) => {
    const [near, far] = lengths.bits[scheme];
    return [scheme, t("claim_longer"), t("bits_longer", lengths, bits(near), bits(far))];
  };
  const weak = () => ["sinusoidal", t("claim_enough"), t("bits_enough", lengths, bits(lengths.bits.sinusoidal[0]), bits(lengths.bits.alibi[0]))];
  return {head: [t("scheme"), t("property_lacking"), t("evidence")], about: lengths && t("about_bits"),
    rows: [...(lengths ? [weak(), trained("sinusoidal"), trained("learned")] : []), ...failing(["learned"]), ...failing(["rope", "--preset", "llama"])]};
}

function value_table() {
  const {data} = rows_of(sinusoidal(4), "0:4");
  return {head: [t("position"), "sin(p)", "cos(p)", "sin(p/100)", "cos(p/100)"],
    rows: [0, 1, 2, 3].map((p) => [String(p), ...[0, 1, 2, 3].map((c) => digits(data[p * 4 + c]))])};
}

// The pairs of width 64, each once.
function pairs() {
  const seen = new Set();
  return engine.json(["frequencies", "sinusoidal", "--dim", "64"]).frequencies.filter((f) => !seen.has(f.frequency) && seen.add(f.frequency));
}

function parameter_table() {
  const all = pairs(), ends = (name) => `${digits(all[0][name])} … ${digits(all.at(-1)[name])}`;
  const values = {pos: "0, 1, 2, …", d: "64", i: `0 … ${all.length - 1}`, base: "10000", w: ends("frequency"), wave: ends("wavelength")};
  const signs = {pos: "pos, p", d: "d_model, d", base: "10000", w: "w_i = 1 / 10000^(2i/d)", wave: "2π / w_i"};
  return {head: [t("parameter"), t("meaning"), t("at_width", 64)],
    rows: Object.entries(values).map(([name, value]) => [signs[name] ?? name, t("parameter_" + name), value])};
}

function wave_table() {
  return {head: [t("column"), "1 / 10000^(2i/d)", t("wavelength")],
    rows: pairs().filter((_, i) => i % 8 === 0 || i === 31).map((f) => [String(f.column ?? f.pair * 2), digits(f.frequency), digits(f.wavelength)])};
}

function matrix_table(k) {
  const {matrix} = engine.json(["shift", "sinusoidal", "--dim", "4", "--k", String(k)]);
  const product = (p) => {
    const {data} = rows_of(sinusoidal(4), `${p},${p + k}`);
    return [0, 1, 2, 3].reduce((sum, c) => sum + data[c] * data[4 + c], 0).toFixed(4).replace("-", "−");
  };
  return {head: [`M_${k}`, "0", "1", "2", "3"], rows: matrix.map((row, r) => [String(r), ...row.map((v) => digits(v, 4))]),
    about: t("about_shift", k, [0, 5, 100].map((p) => `PE(${p}) · PE(${p + k}) = ${product(p)}`).join(t("comma")))};
}

// Schemes of a family, as `posenc list` tells them.
function users(family) {
  return {head: [t("scheme"), t("what"), t("used_by")],
    rows: engine.schemes().filter((s) => s.family === family).map((s) => [s.name, about_of(s), s.used_by])};
}

function presets(list) {
  const schemes = engine.schemes(), help = (scheme, preset) => schemes.find((s) => s.name === scheme).presets.find((p) => p.name === preset).help;
  return [{head: [t("task"), t("scheme"), t("preset"), t("what")], rows: list.map(([task, ...names]) => [t("task_" + task), ...names, help(...names)])},
    () => list_code([...new Set(list.map(([, scheme]) => scheme))])];
}

function explained() {
  return {head: [t("task"), t("model"), t("scheme"), t("length")], rows: language.map(([task, name, config]) => {
    const {components} = engine.json(["explain", JSON.stringify(config)]), length = components[0].usable_length;
    return [t("task_" + task), name, components.map((c) => `${c.where}: ${c.scheme}`).join(", "), length ? digits(length) : t("any")];
  })};
}

function deltas() {
  return {head: [t("task"), t("model"), t("role"), t("tokens"), "t", "h", "w", "rope_delta"], rows: mixed.map(([task, model, segments, role]) => {
    const {positions, rope_delta} = engine.json(["positions", "segments", "--segments", segments, "--model", model]);
    return [t("task_" + task), model, t(role), segments.split(",").map((part) => part.split(":")).map(([kind, size]) => `${t("part_" + kind)} ${size.split("@")[0]}`).join(", "),
      ...positions.map((axis) => axis[0].join(" ")), String(rope_delta)];
  })};
}

const tables = {
  1: () => [checked(["sinusoidal", "--dim", "64"], "unique-rows", "bounded-values", "periodic-pairs", "aperiodic-rows", "fastest-first"), () => check_code(sinusoidal(64))],
  2: (words) => [order_table(words), () => attention_code(sentences_of(words)[0].length)],
  3: () => [value_table(), () => code_of("heatmap", {...sinusoidal(4), positions: "0:4"}, {family: "absolute", axes: 1, real: false})],
  4: () => [parameter_table(), frequency_code],
  waves: () => [wave_table(), frequency_code],
  5: () => [users("absolute"), () => list_code()],
  6: (k) => [matrix_table(k), () => shift_code(k)],
  7: () => [checked(["sinusoidal", "--dim", "64"], "product-by-offset", "offset-readable", "shift-matrix", "constant-norm"), () => check_code(sinusoidal(64))],
  8: () => [drawbacks(), () => check_code(llama, {scheme: "learned", options: {}})],
  9: () => [explained(), explain_code],
  10: () => presets(vision),
  11: () => presets(speech),
  12: () => [deltas(), () => segments_code(mixed)],
};

export function table(name, title, value) {
  const [rows, code] = tables[name](value);
  return {spec: {type: "table", title, ...rows}, code};
}
