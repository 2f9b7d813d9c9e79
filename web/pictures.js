// pictures.js: from a scheme and what is asked about it to a picture, as data. The numbers are those of the tool's
// commands; here they are only arranged, and products of rows are summed up.
import * as engine from "./engine.js";
import {angle} from "./draw/circles.js";
import {digits} from "./html.js";
import {t} from "./i18n.js";
import {nested, options_words} from "./state.js";

// asked: {scheme, preset, options, positions, compare, head, q, k, length, grid, patch}
export function scheme_words(asked) {
  return [asked.scheme, ...(asked.preset ? ["--preset", asked.preset] : []), ...options_words(asked.options)];
}


// get(words) with the length of the text, where that was given and the length rule reads it.
function of_length(asked, get) {
  const words = scheme_words(asked);
  if (!asked.length) return get(words);
  try {
    return get([...words, "--length", asked.length]);
  } catch {
    return get(words);
  }
}

const range = (count, first = 0, step = 1) => Float64Array.from({length: count}, (_, i) => first + i * step);

export function table(asked, positions) {
  const run = positions.match(/^(\d+):(\d+)$/);
  if (run && !asked.length)
    try {
      const preset = asked.preset ? {preset: asked.preset} : {};
      return engine.rows(asked.scheme, {...preset, ...nested(asked.options)}, Number(run[1]), run[2] - run[1]);
    } catch {
      // a scheme with weights, or of scores: the tool knows what to do, or what to say
    }
  return of_length(asked, (words) => engine.array(["table", ...words, "--positions", positions]));
}

// The rows of the positions that were asked for, or else of the first of the usual ones that the scheme takes; on
// several axes tokens stand on their diagonal.
function usual_table(asked, {axes = 1, real = false}, ...runs) {
  if (asked.positions) return {positions: asked.positions, ...table(asked, asked.positions)};
  const tried = real ? ["0:1:0.005"] : [...runs, "0:14"];
  for (const run of tried)
    try {
      return {positions: run, ...table(asked, Array(axes).fill(run).join(";"))};
    } catch (error) {
      if (run === tried.at(-1)) throw error;
    }
}

// "0:128", "0:64:0.25", "-8:9" or "0,3,7" as numbers; nothing for what the tool alone understands.
export function listed(text) {
  const run = text.match(/^(-?[\d.e]+):(-?[\d.e]+)(?::([\d.e]+))?$/);
  if (run) {
    const [first, end, step] = [Number(run[1]), Number(run[2]), Number(run[3] ?? 1)];
    return range(Math.max(0, Math.ceil((end - first) / step - 1e-9)), first, step);
  }
  return /^-?[\d.e,-]+$/.test(text) ? Float64Array.from(text.split(",").map(Number)) : null;
}

const evenly = (numbers) => (numbers ? (i) => numbers[i] : undefined);
function most(values) {
  let out = 0;
  for (const v of values) if (Math.abs(v) > out) out = Math.abs(v);
  return out;
}

function heatmap(asked, info) {
  const {positions, shape, data} = usual_table(asked, info, "0:128"), at = listed(positions);
  const [rows, cols] = shape.slice(-2), size = most(data), high = size > 0.5 && size <= 1 ? 1 : size || 1;
  const place = evenly(at) ?? ((i) => i);
  return {type: "heat", title: title(asked, t("heatmap")), rows, cols, values: data, low: -high, high,
    x: {label: t("column")}, y: {label: t("position"), at: evenly(at)},
    tell: (r, c, text) => `${t("position")} ${digits(place(r))}, ${t("column")} ${c}: ${text}`};
}

function waves(asked, info) {
  const {positions, shape: [rows, cols], data} = usual_table(asked, info, "0:64:0.25", "0:64");
  const chosen = [...new Set([0, cols >> 4, cols >> 3, cols >> 2, cols >> 1])];
  const x = listed(positions) ?? range(rows);
  return {type: "lines", title: title(asked, t("waves")), x: {label: t("position")}, y: {label: t("value")},
    curves: chosen.map((c) => ({name: `${t("column")} ${c}`, x, y: x.map((_, i) => data[i * cols + c])}))};
}

// Products of rows, divided by their lengths.
export function products({shape: [rows, cols], data}) {
  const unit = new Float64Array(rows * cols), out = new Float32Array(rows * rows);
  for (let r = 0; r < rows; ++r) {
    let sum = 0;
    for (let c = 0; c < cols; ++c) sum += data[r * cols + c] ** 2;
    for (let c = 0; c < cols; ++c) unit[r * cols + c] = data[r * cols + c] / Math.sqrt(sum);
  }
  for (let i = 0; i < rows; ++i)
    for (let j = 0; j <= i; ++j) {
      let product = 0;
      for (let c = 0, a = i * cols, b = j * cols; c < cols; ++c) product += unit[a + c] * unit[b + c];
      out[i * rows + j] = out[j * rows + i] = product;
    }
  return out;
}

function similarity(asked, info) {
  const rows = usual_table(asked, info, "0:128"), at = listed(rows.positions);
  const place = evenly(at) ?? ((i) => i), axis = {label: t("position"), at: evenly(at)}, count = rows.shape[0];
  return {type: "heat", square: true, title: title(asked, t("similarity")), rows: count, cols: count, values: products(rows),
    low: -1, high: 1, x: axis, y: axis,
    tell: (r, c, text) => `${t("position")} ${digits(place(r))}, ${digits(place(c))}: ${t("product")} ${text}`};
}

// Schemes over each other: 'none; linear factor=4; base=500000'. The tool's own --compare draws; here each part
// becomes a scheme: a word alone is a length rule, name=value an option, of the rule where it has one of that name.
export function variants(asked) {
  if (!asked.compare) return [{name: "", asked}];
  return asked.compare.split(";").map((part) => part.trim()).filter(Boolean).map((part) => {
    const options = {...asked.options};
    let rule = null;
    for (const word of part.split(/\s+/)) {
      const [name, value] = word.split("=");
      if (value === undefined) {
        rule = name;
        for (const key of Object.keys(options)) if (key.startsWith("scaling.")) delete options[key];
        options.scaling = name;
      } else {
        const long = name === "original" ? "original_max_position_embeddings" : name;
        options[rule && rule !== "none" && long !== "base" && long !== "dim" ? "scaling." + long : long] = value;
      }
    }
    return {name: part, asked: {...asked, options}};
  });
}

export function frequencies(asked) {
  const told = of_length(asked, (words) => engine.json(["frequencies", ...words]));
  const seen = new Set();
  told.frequencies = told.frequencies.filter((f) => {  // the sine and the cosine of a pair turn alike
    const name = `${f.pair ?? "c" + f.frequency},${f.axis},${f.head ?? 0}`;
    return !seen.has(name) && seen.add(name);
  });
  return told;
}

const by_pair = (told, value) => ({x: range(told.frequencies.length), y: told.frequencies.map(value)});

function wavelengths(asked) {
  const length = Number(asked.length) || 4096;
  const curves = variants(asked).map((v) => {
    const told = frequencies(v.asked);
    const late = told.frequencies.filter((f) => f.wavelength === null || f.wavelength > length).length;
    return {name: v.name, late, ...by_pair(told, (f) => f.wavelength ?? NaN)};
  });
  return {type: "lines", dots: curves[0].x.length <= 128, title: title(asked, t("wavelengths")), curves,
    x: {label: t("pair")}, y: {label: t("wavelength"), log: true},
    marks: [{y: length, name: t("text_length", length)}],
    about: curves.map((c) => (c.name ? c.name + ": " : "") + t("never", c.late, length)).join(" · ")};
}

function rules(asked) {
  const compare = asked.compare || "linear factor=4; ntk factor=4; yarn factor=4; llama3 factor=4 original=4096";
  const curves = variants({...asked, compare}).map((v) => ({name: v.name, ...by_pair(frequencies(v.asked), (f) => f.effect)}));
  return {type: "lines", title: title(asked, t("rules")), curves, x: {label: t("pair")},
    y: {label: t("of_unscaled"), low: 0}};
}

// q . k / dim of a query and a key of ones, by their distance: both are turned by the tool.
export function scores(asked, positions, dim, axes = 1, key_at = "0") {
  const turned = (at, count) => {
    engine.write_file("/ones.npy", engine.to_npy([count, 1, dim], new Float32Array(count * dim).fill(1)));
    return of_length(asked, (words) => engine.array(["apply", ...words, "--in", "/ones.npy", "--shape", "thd",
      "--positions", Array(axes).fill(at).join(";")])).data;
  };
  const count = listed(positions).length, q = turned(positions, count), k = turned(key_at, 1);
  return Float64Array.from({length: count}, (_, i) => {
    let sum = 0;
    for (let c = 0; c < dim; ++c) sum += q[i * dim + c] * k[c];
    return sum / dim;
  });
}

function decay(asked, info) {
  const curves = variants(asked).map((v) => {
    if (info.family === "rotary") {
      const positions = asked.positions || "0:1024";
      return {name: v.name, x: listed(positions), y: scores(v.asked, positions, dim_of(v.asked, info), info.axes)};
    }
    const rows = usual_table(v.asked, info, "0:128"), count = rows.shape[0];
    return {name: v.name, x: listed(rows.positions) ?? range(count), y: products(rows).slice(0, count)};
  });
  return {type: "lines", title: title(asked, t("decay")), curves, x: {label: t("distance")},
    y: {label: info.family === "rotary" ? t("score") : t("product")}};
}

export function dim_of(asked, info) {
  return Number(asked.options.dim ?? info.fields.find((f) => f.name === "dim").default);
}

function circles(asked, {axes}) {
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

function curves(asked) {
  const positions = asked.positions || "-64:65";
  const {shape: [rows, heads], data} = table(asked, positions), x = listed(positions) ?? range(rows);
  const shown = [...new Set(heads <= 6 ? range(heads) : [0, 1, 2, 3, 4, 5].map((i) => Math.round((i * (heads - 1)) / 5)))];
  return {type: "lines", title: title(asked, t("curves")), x: {label: t("distance")}, y: {label: t("bias")},
    curves: shown.map((head) => ({name: `${t("head")} ${head}`, x, y: x.map((_, i) => data[i * heads + head])}))};
}

// Of windows, whose tokens are counted, all; otherwise as many as were asked for.
function square(asked) {
  const words = ["table", ...scheme_words(asked)];
  const of = (run) => ({run, ...engine.array(run ? [...words, "--queries", run, "--keys", run] : words)});
  let made;
  try {
    made = of(asked.tokens || "0:64");
  } catch (error) {
    if (asked.tokens) throw error;
    made = of("");
  }
  const {run, shape: [heads, rows, cols], data} = made;
  const head = Math.min(Number(asked.head ?? 0), heads - 1), values = data.slice(head * rows * cols, (head + 1) * rows * cols);
  const high = most(values) || 1, at = run ? listed(run) : null, place = evenly(at) ?? ((i) => i);
  return {type: "heat", square: true, title: title(asked, t("square")), rows, cols, values, low: -high, high,
    x: {label: t("key"), at: evenly(at)}, y: {label: t("query"), at: evenly(at)}, heads,
    tell: (r, c, text) => `${t("query")} ${digits(place(r))}, ${t("key")} ${digits(place(c))}: ${t("bias")} ${text}`};
}

// Which row of its learned table a distance reads: the tool is given a table whose rows are their own numbers.
function buckets(asked, info) {
  const positions = asked.positions || "-160:161", x = listed(positions);
  const [rows, heads] = info.learned[0].shape;
  engine.write_file("/rows.npy", engine.to_npy([rows, heads], range(rows * heads).map((i) => Math.floor(i / heads))));
  const {data, shape} = engine.array(["table", ...scheme_words(asked), "--positions", positions, "--weights", "/rows.npy"]);
  return {type: "lines", dots: x.length <= 400, title: title(asked, t("buckets")), x: {label: t("distance")},
    y: {label: t("bucket"), low: 0}, curves: [{name: "", x, y: x.map((_, i) => data[i * shape[1]])}]};
}

// One patch of an image beside all others; where coordinates are real numbers, sides go from 0 to 1.
function patches(asked, info) {
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

const title = (asked, what) => `${what}: ${scheme_words(asked).join(" ")}`;
const makers = {heatmap, waves, similarity, wavelengths, decay, circles, rules, curves, square, buckets, patches};

// Which pictures the tool draws of the scheme as it is, how tokens stand in it, and whether its weights are those before
// training: {kinds, axes, real, initial}.
export function probe(asked, family) {
  const words = scheme_words(asked), drawn = (kind) => engine.run(["show", ...words, "--kind", kind, "--size", "40x10"]).code === 0;
  const told = engine.run(["table", ...words, "--json"]);
  if (told.code !== 0) return {kinds: [], axes: 1, real: false, error: told.err.replace(/^posenc: /, "")};
  const {positions = [0], initial_weights} = JSON.parse(told.out), axes = positions[0].length ?? 1;
  const facts = {axes, real: positions.flat().some((v) => v !== Math.floor(v)), initial: initial_weights !== undefined};
  if (family === "relative") {
    const line = drawn("curves");
    return {...facts, kinds: [...(line ? ["curves"] : []), "square", ...(line && drawn("buckets") ? ["buckets"] : [])]};
  }
  const shown = ["heatmap", "waves", "similarity", "wavelengths", "rules", "decay"].filter(drawn);
  return {...facts, kinds: family === "rotary" ? ["circles", ...shown] : axes === 2 ? ["patches", ...shown] : shown};
}

// info: the scheme as the tool lists it, with what probe() found.
export function make_picture(kind, asked, info) {
  return makers[kind](asked, info);
}
