// rows.js: numbers of the tool's commands, for the pictures of an encoding.
// asked: {scheme, preset, options, positions, compare, head, q, k, length, trained, grid, patch}
import * as engine from "../engine.js";
import {nested, options_words} from "../state.js";

export function scheme_words(asked) {
  return [asked.scheme, ...(asked.preset ? ["--preset", asked.preset] : []), ...options_words(asked.options)];
}

export const title = (asked, what) => `${what}: ${scheme_words(asked).join(" ")}`;

// get(words) with the length of the text, where that was given and the length rule reads it.
export function of_length(asked, get) {
  const words = scheme_words(asked);
  if (!asked.length) return get(words);
  try {
    return get([...words, "--length", asked.length]);
  } catch {
    return get(words);
  }
}

export const range = (count, first = 0, step = 1) => Float64Array.from({length: count}, (_, i) => first + i * step);

export const evenly = (numbers) => (numbers ? (i) => numbers[i] : undefined);

export function most(values) {
  let out = 0;
  for (let i = 0; i < values.length; ++i) {
    const size = values[i] < 0 ? -values[i] : values[i];
    if (size > out) out = size;
  }
  return out;
}

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
export function usual_table(asked, {axes = 1, real = false}, ...runs) {
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
