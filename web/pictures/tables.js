// tables.js: pictures of rows: the table itself, its columns, what rows have in common.
import {digits} from "../html.js";
import {t} from "../i18n.js";
import {evenly, listed, most, products, range, table, title, usual_table} from "./rows.js";

export function heatmap(asked, info) {
  const {positions, shape, data} = usual_table(asked, info, "0:128"), at = listed(positions);
  const [rows, cols] = shape.slice(-2), size = most(data), high = size > 0.5 && size <= 1 ? 1 : size || 1;
  const place = evenly(at) ?? ((i) => i);
  return {type: "heat", title: title(asked, t("heatmap")), rows, cols, values: data, low: -high, high,
    x: {label: t("column")}, y: {label: t("position"), at: evenly(at)},
    tell: (r, c, text) => `${t("position")} ${digits(place(r))}, ${t("column")} ${c}: ${text}`};
}

export function waves(asked, info) {
  const {positions, shape: [rows, cols], data} = usual_table(asked, info, "0:64:0.25", "0:64");
  const chosen = [...new Set([0, cols >> 4, cols >> 3, cols >> 2, cols >> 1])];
  const x = listed(positions) ?? range(rows);
  return {type: "lines", title: title(asked, t("waves")), x: {label: t("position")}, y: {label: t("value")},
    curves: chosen.map((c) => ({name: `${t("column")} ${c}`, x, y: x.map((_, i) => data[i * cols + c])}))};
}

export function similarity(asked, info) {
  const rows = usual_table(asked, info, "0:128"), at = listed(rows.positions);
  const place = evenly(at) ?? ((i) => i), axis = {label: t("position"), at: evenly(at)}, count = rows.shape[0];
  return {type: "heat", square: true, title: title(asked, t("similarity")), rows: count, cols: count, values: products(rows),
    low: -1, high: 1, x: axis, y: axis,
    tell: (r, c, text) => `${t("position")} ${digits(place(r))}, ${digits(place(c))}: ${t("product")} ${text}`};
}

// One patch of an image beside all others; where coordinates are real numbers, sides go from 0 to 1.
export function patches(asked, info) {
  if (!asked.grid)
    try {
      return patches({...asked, grid: "14x20"}, info);
    } catch {
      return patches({...asked, grid: "14x14"}, info);  // the table of an image of that size
    }
  const [height, width] = asked.grid.split("x").map(Number), count = height * width;
  const [row, column] = (asked.patch || `${height >> 1},${width >> 1}`).split(",").map(Number);
  const at = (side, f) => Array.from({length: count}, (_, i) => (info.real ? (f(i) + 0.5) / side : f(i))).join(",");
  const rows = table(asked, `${at(height, (i) => Math.floor(i / width))};${at(width, (i) => i % width)}`);
  const cols = rows.shape[1], here = (row * width + column) * cols, values = new Float32Array(count);
  const length = (start) => Math.hypot(...rows.data.subarray(start, start + cols));
  for (let i = 0; i < count; ++i) {
    let sum = 0;
    for (let c = 0; c < cols; ++c) sum += rows.data[here + c] * rows.data[i * cols + c];
    values[i] = sum / (length(here) * length(i * cols));
  }
  return {type: "heat", title: title(asked, t("patches")), rows: height, cols: width, values, low: 2 * Math.min(...values) - 1, high: 1,
    x: {label: t("column")}, y: {label: t("row")},
    tell: (r, c, text) => `(${row}, ${column}) · (${r}, ${c}): ${t("product")} ${text}`};
}
