// convolution.js: pictures of a convolution: its kernel, and what it adds to tokens that differ and to tokens that are all alike.
import * as engine from "../engine.js";
import {digits} from "../html.js";
import {t} from "../i18n.js";
import {nested} from "../state.js";
import {features} from "../turn.js";
import {listed, most, range, title} from "./rows.js";

const option = (info, name) => info.fields.find((field) => field.name === name)?.default;
const is_grid = (info) => Number(option(info, "coordinates")) === 2;

function added(asked, info, values, count, more = {}) {
  const dim = Number(option(info, "dim")), preset = asked.preset ? {preset: asked.preset} : {};
  const side = is_grid(info) ? grid_of(asked) : {}, prefix = is_grid(info) ? Number(option(info, "prefix")) : 0;
  const data = new Float32Array((prefix + count) * dim);
  data.set(values, prefix * dim);
  const out = engine.convolved(asked.scheme, {...preset, ...nested(asked.options), ...more}, {shape: [prefix + count, dim], data}, side);
  return {dim, data: out.data.subarray(prefix * dim)};
}

function grid_of(asked) {
  const [height, width] = (asked.grid || "14x20").split("x").map(Number);
  return {height, width};
}
export const grid_of_convolution = (asked, info) => (is_grid(info) ? grid_of(asked) : {});
const count_of = (asked, info) => (is_grid(info) ? grid_of(asked).height * grid_of(asked).width : Number(asked.count) || 64);
const column_of = (asked, dim) => Math.min(Number(asked.column ?? 0), dim - 1);

// What a token that holds 1 in one column sends to its neighbours: the kernel itself, without what follows it.
export function kernel(asked, info) {
  const dim = Number(option(info, "dim")), taps = Number(option(info, "kernel")), group = dim / Number(option(info, "groups")), column = column_of(asked, dim);
  const plain = {activation: "none", layer_norm: false, layers: 1}, first = column - (column % group);
  if (is_grid(info)) {
    const side = 2 * taps - 1, wide = {...asked, grid: `${side}x${side}`}, middle = (taps - 1) * side + taps - 1;
    const {data} = difference(wide, info, side * side, middle * dim + column, plain), reach = taps >> 1, low = taps - 1 - reach;
    const values = Float32Array.from({length: taps * taps}, (_, i) => data[((low + Math.floor(i / taps)) * side + low + (i % taps)) * dim + first]);
    return heat(asked, "kernel", values, taps, taps, {x: {label: t("columns_on"), at: (i) => i - reach}, y: {label: t("rows_on"), at: (i) => i - reach},
      tell: (r, c, text) => `(${digits(r - reach)}, ${digits(c - reach)}): ${text}`});
  }
  const count = 2 * taps - 1, {data} = difference(asked, info, count, (taps - 1) * dim + column, plain), start = taps - 1 - ((taps - 1) >> 1);
  const values = new Float32Array(group * taps);
  for (let c = 0; c < group; ++c) for (let n = 0; n < taps; ++n) values[c * taps + n] = data[(start + n) * dim + first + c];
  const at = (i) => start - (taps - 1) + i;
  return heat(asked, "kernel", values, group, taps, {x: {label: t("tokens_on"), at}, y: {label: t("column"), at: (i) => first + i},
    tell: (r, c, text) => `${t("column")} ${column} → ${first + r}, ${t("tokens_on")} ${digits(at(c))}: ${text}`});
}

// What changes when one number among zeros becomes 1.
function difference(asked, info, count, place, more) {
  const dim = Number(option(info, "dim")), zeros = new Float32Array(count * dim), one = zeros.slice();
  one[place] = 1;
  const a = added(asked, info, one, count, more).data, b = added(asked, info, zeros, count, more).data;
  return {data: a.map((v, i) => v - b[i])};
}

// What is added to tokens: of a line, position by column; of a grid, one column over its patches.
function strip(asked, info, kind, values) {
  const count = count_of(asked, info), {dim, data} = added(asked, info, values, count), column = column_of(asked, dim);
  if (is_grid(info)) {
    const {height, width} = grid_of(asked), one = Float32Array.from({length: count}, (_, i) => data[i * dim + column]);
    return heat(asked, kind, one, height, width, {x: {label: t("column")}, y: {label: t("row")}, tell: (r, c, text) => `(${r}, ${c}): ${text}`});
  }
  return heat(asked, kind, data, count, dim, {x: {label: t("column")}, y: {label: t("position")},
    tell: (r, c, text) => `${t("position")} ${r}, ${t("column")} ${c}: ${text}`});
}

export function tokens_convolved(asked, info) {
  const dim = Number(option(info, "dim"));
  return strip(asked, info, "tokens_convolved", features(count_of(asked, info) * dim, 7));
}

// Where all tokens are alike, only the zeros beyond the ends tell one from another.
export function ends(asked, info) {
  const dim = Number(option(info, "dim")), count = count_of(asked, info), one = features(dim, 7);
  const values = Float32Array.from({length: count * dim}, (_, i) => one[i % dim]);
  if (is_grid(info)) return strip(asked, info, "ends", values);
  const {data} = added(asked, info, values, count), x = range(count);
  return {type: "lines", title: title(asked, t("ends")), x: {label: t("position")}, y: {label: t("value")}, about: t("ends_about"),
    curves: [0, 1, 2, 3].filter((c) => c < dim).map((c) => ({name: `${t("column")} ${c}`, x, y: x.map((_, i) => data[i * dim + c])}))};
}

function heat(asked, kind, values, rows, cols, more) {
  const high = most(values) || 1;
  return {type: "heat", title: title(asked, t(kind)), rows, cols, values, low: -high, high, ...more};
}

export const probe_convolution = (asked, info) => ({made_up: true, kinds: ["kernel", "tokens_convolved", "ends"], grid: is_grid(info)});
