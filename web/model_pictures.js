// model_pictures.js: what follows from a model's rotary encoding. words: how the tool is told which, "--model FILE".
import * as engine from "./engine.js";
import {t} from "./i18n.js";

// Text stands at the same number on every axis.
const on_axes = (part, positions) => Array(part.options.axes?.sections?.length ?? 1).fill(positions).join(";");
const table = (words, ...more) => engine.array(["table", ...words, ...more]).data;

export function wavelength_picture(words, part) {
  const told = engine.json(["frequencies", ...words]).frequencies.filter((f) => !f.head);
  const length = part.trained_length ?? part.usable_length ?? 4096;
  const late = told.filter((f) => f.wavelength === null || f.wavelength > length).length;
  return {type: "lines", dots: true, title: t("wavelengths"), x: {label: t("pair")}, y: {label: t("wavelength"), log: true},
    curves: [{name: "", x: told.map((_, i) => i), y: told.map((f) => f.wavelength ?? NaN)}],
    marks: [{y: length, name: t("text_length", length)}], about: t("never", late, length)};
}

// To the nearest number of 8 significant bits, ties to even.
function bf16(value) {
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  bits[0] = (bits[0] + 0x7fff + ((bits[0] >>> 16) & 1)) & 0xffff0000;
  return new Float32Array(bits.buffer)[0];
}

const largest = (a, b) => a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i])), 0);

// Largest error of 32 positions from each power of ten on, against rows in f64.
export function phase_picture(words, part) {
  const powers = [1e3, 1e4, 1e5, 1e6, 1e7], names = ["phase_f32", "phase_bf16", "phase_exact"], errors = names.map(() => []);
  for (const power of powers) {
    const places = Array.from({length: 32}, (_, i) => power + i), at = (list) => ["--positions", on_axes(part, list.join(","))];
    const exact = table(words, ...at(places), "--dtype", "f64");
    errors[0].push(largest(table(words, ...at(places), "--numerics", "torch-f32"), exact));
    errors[1].push(largest(table(words, ...at(places.map(bf16)), "--dtype", "f64"), exact));
    errors[2].push(largest(table(words, ...at(places)), exact));
  }
  return {type: "lines", dots: true, title: t("phase"), x: {label: t("position"), log: true}, y: {label: t("error"), log: true},
    curves: names.map((name, i) => ({name: t(name), x: powers, y: errors[i]}))};
}

// Numbers between -1 and 1 that look like weights, the same every time.
function features(count, seed) {
  let state = seed;
  return Float32Array.from({length: count}, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

function turned(words, part, rows, positions, layout) {
  const {dim} = part.options;
  engine.write_file("/x.npy", engine.to_npy([rows.length / dim, 1, dim], rows));
  return engine.array(["apply", ...words, ...(layout ? ["--layout", layout] : []), "--in", "/x.npy", "--shape", "thd", "--positions",
    on_axes(part, positions)]).data;
}

export function layout_picture(words, part) {
  const dim = part.options.dim, count = 65, q = features(dim, 7), k = q;
  const queries = new Float32Array(count * dim);
  for (let i = 0; i < count; ++i) queries.set(q, i * dim);
  const by_distance = (layout) => {
    const a = turned(words, part, queries, `0:${count}`, layout), b = turned(words, part, k, "0", layout);
    return Array.from({length: count}, (_, i) => b.reduce((sum, v, c) => sum + v * a[i * dim + c], 0) / dim);
  };
  const x = Array.from({length: count}, (_, i) => i), other = part.layout === "half" ? "interleaved" : "half";
  return {type: "lines", title: t("layouts"), x: {label: t("distance")}, y: {label: t("score")},
    curves: [{name: `${part.layout}, ${t("layout_right")}`, x, y: by_distance(part.layout)},
      {name: `${other}, ${t("layout_wrong")}`, x, y: by_distance(other)}]};
}

// A cached key is moved by turning it further: the same as one that was turned at the new place.
export function moved_key(words, part) {
  const dim = part.options.dim, key = features(dim, 11), from = 100, to = 1000;
  const cached = turned(words, part, key, String(from)), scale = part.cos_sin_factor ?? 1;
  const moved = turned(words, part, cached, String(to - from)).map((v) => v / scale);
  return {from, to, error: largest(moved, turned(words, part, key, String(to)))};
}
