// turning.js: pictures of what turns: frequencies, length rules, queries and keys.
import {angle} from "../draw/circles.js";
import * as engine from "../engine.js";
import {digits} from "../html.js";
import {t} from "../i18n.js";
import {ones, scores} from "../turn.js";
import {listed, of_length, products, range, scheme_words, table, title, usual_table} from "./rows.js";
import {rule_text, variants} from "./variants.js";

function frequencies(asked) {
  const told = of_length(asked, (words) => engine.json(["frequencies", ...words]));
  const seen = new Set();
  told.frequencies = told.frequencies.filter((f) => {  // the sine and the cosine of a pair turn alike
    const name = `${f.pair ?? "c" + f.frequency},${f.axis},${f.head ?? 0}`;
    return !seen.has(name) && seen.add(name);
  });
  return told;
}

const by_pair = (told, value) => ({x: range(told.frequencies.length), y: told.frequencies.map(value)});

// How many pairs of each curve never complete a turn in a text of that length.
export function late_text(curves, length) {
  if (curves.length === 1) return t("never", curves[0].late, length);
  return t("never_each", length) + curves.map((c) => `${c.name}: ${c.late}`).join(" · ");
}

export function wavelengths(asked) {
  const length = Number(asked.length) || 4096;
  const curves = variants(asked).map((v) => {
    const told = frequencies(v.asked);
    const late = told.frequencies.filter((f) => f.wavelength === null || f.wavelength > length).length;
    return {name: v.name, late, ...by_pair(told, (f) => f.wavelength ?? NaN)};
  });
  return {type: "lines", dots: curves[0].x.length <= 128, title: title(asked, t("wavelengths")), curves,
    x: {label: t("pair")}, y: {label: t("wavelength"), log: true},
    marks: [{y: length, name: t("text_length", length)}],
    about: late_text(curves, length)};
}

export function rules(asked) {
  const trained = Number(asked.trained) || 4096, is_late = (f) => f.wavelength === null || f.wavelength > trained;
  const [{asked: plain}] = variants({...asked, compare: "none"});
  const curves = variants(rule_text("rules", asked)).map((v) => {
    const told = frequencies(v.asked);
    return {name: v.name, late: told.frequencies.filter(is_late).length, ...by_pair(told, (f) => f.effect)};
  });
  return {type: "lines", title: title(asked, t("rules")), curves, x: {label: t("pair")}, y: {label: t("of_unscaled"), low: 0},
    bands: stretches(frequencies(plain).frequencies.map(is_late)).map((band) => ({...band, name: t("no_turn", trained)})),
    about: late_text(curves, trained)};
}

// Runs of pairs of which something is true: [{from, to}], their edges halfway to the next pair.
function stretches(flags) {
  const out = [];
  flags.forEach((flag, i) => {
    if (flag && flags[i - 1]) out.at(-1).to = i + 0.5;
    else if (flag) out.push({from: i - 0.5, to: i + 0.5});
  });
  return out;
}

export function decay(asked, info) {
  const curves = variants(asked).map((v) => {
    if (info.family === "rotary") {
      const positions = asked.positions || "0:1024", x = listed(positions), on = (at) => Array(info.axes).fill(at).join(";");
      const at = {queries: on(positions), count: x.length, key: on("0")};
      return {name: v.name, x, y: of_length(v.asked, (words) => scores(ones(dim_of(v.asked, info)), at, words))};
    }
    const rows = usual_table(v.asked, info, "0:128"), count = rows.shape[0];
    return {name: v.name, x: listed(rows.positions) ?? range(count), y: products(rows).slice(0, count)};
  });
  return {type: "lines", title: title(asked, t("decay")), curves, x: {label: t("distance")},
    y: {label: info.family === "rotary" ? t("score") : t("product")}};
}

function dim_of(asked, info) {
  return Number(asked.options.dim ?? info.fields.find((f) => f.name === "dim").default);
}

// On two axes: the score of a query of ones in the middle of an image with a key at every patch.
export function directions(asked, info) {
  const [height, width] = (asked.grid || "14x20").split("x").map(Number), count = height * width, dim = dim_of(asked, info);
  const [row, column] = (asked.patch || `${height >> 1},${width >> 1}`).split(",").map(Number);
  const place = (side, i) => (info.real ? (2 * i + 1) / side - 1 : i);  // real coordinates go from -1 to 1
  const at = (side, f) => Array.from({length: count}, (_, i) => place(side, f(i))).join(",");
  const grid = `${at(height, (i) => Math.floor(i / width))};${at(width, (i) => i % width)}`;
  const values = Float32Array.from(scores(ones(dim), {queries: grid, count, key: `${place(height, row)};${place(width, column)}`},
    scheme_words(asked)));
  const high = Math.max(...values.map(Math.abs));
  return {type: "heat", title: title(asked, t("directions")), rows: height, cols: width, values, low: -high, high,
    x: {label: t("column")}, y: {label: t("row")},
    tell: (r, c, text) => `(${row}, ${column}) · (${r}, ${c}): ${t("score")} ${text}`};
}

export function circles(asked, {axes}) {
  const q = Number(asked.q ?? 7), k = Number(asked.k ?? 3);
  const {shape: [, cols], data} = table(asked, Array(axes).fill(`${q},${k}`).join(";")), half = cols / 2;
  const told = frequencies(asked).frequencies;
  const pairs = Array.from({length: Math.min(half, 64)}, (_, p) => ({name: `${t("pair")} ${p}`,
    wavelength: told[p]?.wavelength, q: [data[p], data[half + p]], k: [data[cols + p], data[cols + half + p]]}));
  const score = Array.from({length: half}, (_, p) => data[p] * data[cols + p] + data[half + p] * data[cols + half + p]);
  return {type: "circles", title: title(asked, t("circles")), pairs,
    about: `${t("query")} ${q} (${t("solid")}), ${t("key")} ${k} (${t("dashed")}): ${t("score")} ${digits(score.reduce((a, b) => a + b, 0) / half)}`,
    tell: (pair) => `${pair.name}: ${t("query")} ${angle(pair.q)}, ${t("key")} ${angle(pair.k)}, ` +
      `${digits(pair.wavelength)} ${t("wavelength")}`};
}
