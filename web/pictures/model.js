// model.js: what follows from a model's rotary encoding. words: how the tool is told which, ["--model", FILE, ...]; part: what
// `posenc explain` says about it.
import * as engine from "../engine.js";
import {digits} from "../html.js";
import {t} from "../i18n.js";
import {alike, bf16, features, largest, scores, turned} from "../turn.js";
import {angle} from "../draw/circles.js";
import {strip_of} from "./strips.js";
import {late_text} from "./turning.js";

// Text stands at the same number on every axis.
const on_axes = (part, positions) => Array(part.options.axes?.sections?.length ?? 1).fill(positions).join(";");
const table = (words, ...more) => engine.array(["table", ...words, ...more]).data;

// The wavelengths of one model, or of several over each other: models: [{name, words, part}].
export function wavelength_picture(models) {
  const length = Math.max(...models.map(({part}) => part.trained_length ?? part.usable_length ?? 4096));
  const curves = models.map(({name, words}) => {
    const told = engine.json(["frequencies", ...words]).frequencies.filter((f) => !f.head);
    const late = told.filter((f) => f.wavelength === null || f.wavelength > length).length;
    return {name, late, x: told.map((_, i) => i), y: told.map((f) => f.wavelength ?? NaN)};
  });
  return {type: "lines", dots: true, title: t("wavelengths"), curves, x: {label: t("pair")}, y: {label: t("wavelength"), log: true},
    marks: [{y: length, name: t("text_length", length)}],
    about: late_text(curves, length)};
}

// Rows of 32 positions from each power of ten on: exact, as the usual code has them in f32, at positions in bf16, and the
// library's in f32.
const powers = [1e3, 1e4, 1e5, 1e6, 1e7], ways = ["phase_f32", "phase_bf16", "phase_exact"];
export function phase_rows(words, part) {
  return powers.map((power) => {
    const places = Array.from({length: 32}, (_, i) => power + i), at = (list) => ["--positions", on_axes(part, list.join(","))];
    return {places, exact: table(words, ...at(places), "--dtype", "f64"), rows: [table(words, ...at(places), "--numerics", "torch-f32"),
      table(words, ...at(places.map(bf16)), "--dtype", "f64"), table(words, ...at(places))]};
  });
}

// The largest error of each.
export const phase_picture = (found) => ({type: "lines", dots: true, title: t("phase"), x: {label: t("position"), log: true}, y: {label: t("error"), log: true},
  curves: ways.map((name, i) => ({name: t(name), x: powers, y: found.map(({exact, rows}) => largest(rows[i], exact))}))});

// The number that the usual code gets most wrong, beside its true value.
export function phase_table(found) {
  const rows = found.map(({places, exact, rows: [common, ...others]}) => {
    let worst = 0;
    common.forEach((v, i) => { if (Math.abs(v - exact[i]) > Math.abs(common[worst] - exact[worst])) worst = i; });
    const dim = exact.length / places.length, column = worst % dim, pair = column % (dim / 2);
    return [digits(places[Math.floor(worst / dim)]), `${column < dim / 2 ? "cos" : "sin"}, ${t("pair")} ${pair}`, ...[exact, common, ...others].map((list) => digits(list[worst]))];
  });
  return {type: "table", title: t("phase_worst"), head: [t("position"), t("value"), t("phase_true"), ...ways.map((name) => t(name))], rows};
}

export function layout_picture(words, part) {
  const count = 65, at = {queries: on_axes(part, `0:${count}`), count, key: on_axes(part, "0")};
  const x = Array.from({length: count}, (_, i) => i), other = part.layout === "half" ? "interleaved" : "half";
  const curve = (layout, name) => ({name: `${layout}, ${t(name)}`, x,
    y: scores(alike(part.options.dim), at, [...words, "--layout", layout])});
  return {type: "lines", title: t("layouts"), x: {label: t("distance")}, y: {label: t("score")},
    curves: [curve(part.layout, "layout_right"), curve(other, "layout_wrong")]};
}

// A cached key is moved by turning it further: the same as one that was turned at the new place. The hands are its first
// pairs, as they were cached and as they are now.
export function moved_picture(words, part, {from, to}) {
  const {dim} = part.options, key = features(dim, 11), scale = part.cos_sin_factor ?? 1;
  const turn = (rows, at) => turned(words, rows, dim, on_axes(part, String(at)));
  const cached = turn(key, from), moved = turn(cached, to - from).map((v) => v / scale);
  const apart = part.layout === "half" ? (part.rotary_dim ?? dim) / 2 : 1, step = part.layout === "half" ? 1 : 2;
  const hand = (row, p) => [row[p * step], row[p * step + apart]];
  const pairs = Array.from({length: Math.min(16, (part.rotary_dim ?? dim) / 2)}, (_, p) =>
    ({name: `${t("pair")} ${p}`, q: hand(moved, p), k: hand(cached, p)}));
  return {type: "circles", title: t("moved"), pairs, error: largest(moved, turn(key, to)),
    tell: (pair) => `${pair.name}: ${from} ${angle(pair.k)}, ${to} ${angle(pair.q)}`};
}

// The rule by which a model counts, of those that the tool knows: "qwen2_5_vl" counts as qwen2.5-vl, "qwen3_vl_moe" as qwen3-vl.
const rules = ["qwen2-vl", "qwen2.5-vl", "qwen3-vl", "glm-4v", "ernie-4.5-vl", "glm-image", "qwen2.5-omni", "qwen3-omni"];
const bare = (name) => name.toLowerCase().replace(/[^a-z0-9]|moe/g, "");
const rule_of = (family) => rules.find((rule) => bare(family).startsWith(bare(rule)));

// Words behind `posenc positions` for the segments of a model.
export function mrope_words(family, segments) {
  const rule = rule_of(family);
  if (!rule) throw Error(t("no_rule", family));
  return ["segments", "--segments", segments, "--model", rule];
}

// M-RoPE: where the tokens of a text with an image stand, and where decoding goes on; wrong: with a second chunk that is
// counted by the number of its tokens.
export function mrope_strips(words, chunk, decoded = 3) {
  const spec = strip_of(words), delta = spec.told.rope_delta;
  const [row] = spec.rows, count = row.axes[0].length, at = Array.from({length: count + decoded}, (_, i) => i);
  const axes = row.axes.map((axis) => at.map((i) => (i < count ? axis[i] : i + delta)));
  const kinds = at.map((i) => row.kinds[i] ?? "decoded");
  const strip = (changed) => ({...spec, rows: [{...row, ...changed}], kind_name: (kind) => ({decoded: t("decoded"), wrong: "×"})[kind] ?? spec.kind_name(kind)});
  return {delta, count, right: strip({axes, kinds}),
    wrong: strip({axes: axes.map((axis) => axis.map((n, i) => (i < chunk ? n : i))), kinds: kinds.map((kind, i) =>
      (i >= chunk && axes.some((axis) => axis[i] !== i) ? "wrong" : kind))})};
}

export const moved_sentence = (spec, {from, to}) => t("moved_about", from, to, digits(spec.error, 3));
