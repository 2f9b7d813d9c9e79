// turn.js: queries and keys turned by the tool, and their scores. words: how the tool is told which encoding, as in
// ["rope", "--layout", "half"] or ["--model", FILE].
import * as engine from "./engine.js";

// Numbers between -1 and 1 that look like features, the same every time.
export function features(count, seed) {
  let state = seed;
  return Float32Array.from({length: count}, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

// What makes the features of a word differ from those of another.
export const seed_of = (word) => [...word].reduce((sum, c) => (Math.imul(sum, 31) + c.codePointAt(0)) >>> 0, 7);

// rows: one after the other, each of dim features, or a single one for all positions.
export function turned(words, rows, dim, positions, count = rows.length / dim) {
  const given = new Float32Array(count * dim);
  for (let i = 0; i < given.length; i += rows.length) given.set(rows, i);
  engine.write_file("/x.npy", engine.to_npy([count, 1, dim], given));
  return engine.array(["apply", ...words, "--in", "/x.npy", "--shape", "thd", "--positions", positions]).data;
}

// The score q . k / dim of one query at each of the positions with one key: pair: {q, k, dim}; at: {queries, count, key}.
export function scores({q, k, dim}, {queries, count, key}, words, key_words = words) {
  const a = turned(words, q, dim, queries, count), b = turned(key_words, k, dim, key);
  return Float64Array.from({length: count}, (_, i) => b.reduce((sum, v, c) => sum + v * a[i * dim + c], 0) / dim);
}

export const ones = (dim) => ({dim, q: new Float32Array(dim).fill(1), k: new Float32Array(dim).fill(1)});

// A query and a key that have something in common, as those of a model do.
export function alike(dim) {
  const q = features(dim, 7), other = features(dim, 11);
  return {dim, q, k: q.map((v, i) => v + 0.5 * other[i])};
}

// To the nearest number of 8 significant bits, ties to even.
export function bf16(value) {
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  bits[0] = (bits[0] + 0x7fff + ((bits[0] >>> 16) & 1)) & 0xffff0000;
  return new Float32Array(bits.buffer)[0];
}

export const largest = (a, b) => a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i])), 0);
