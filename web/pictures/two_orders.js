// two_orders.js: a sentence and the same words in another order, as attention sees them without and with positions.
import {features, seed_of} from "../turn.js";
import {table} from "./rows.js";

export const width = 8;
export const usual_words = "我 喜欢 吃 苹果";
export const words_pattern = String.raw`\s*\S{1,12}(\s+\S{1,12}){1,7}\s*`;  // what fits into the pictures

// The vectors of the usual words, made up once; those of other words are made up from their letters.
const vectors = {__proto__: null, "我": [0.9, -0.3, 0.5, 0.1, -0.7, 0.4, 0.2, -0.6], "喜欢": [-0.2, 0.8, 0.1, -0.5, 0.3, 0.6, -0.4, 0.7],
  "吃": [0.4, 0.2, -0.9, 0.6, 0.1, -0.3, 0.8, 0.5], "苹果": [-0.6, 0.5, 0.3, 0.9, -0.1, 0.2, 0.7, -0.4]};
export const vector_of = (word) => vectors[word] ?? [...features(width, seed_of(word))];

// The words as they are given, and with the first and the last in each other's place.
export function sentences_of(words) {
  const given = words.trim().split(/\s+/);
  return [given, given.map((_, place) => given[other_place(place, given.length)])];
}

// Where a word of one of the two sentences stands in the other.
export const other_place = (place, count) => (place === 0 ? count - 1 : place === count - 1 ? 0 : place);

// A sentence as it is written: Chinese without spaces.
export const written = (sentence) => sentence.join(/^\p{Script=Han}+$/u.test(sentence.join("")) ? "" : " ");

// softmax(x x^T / sqrt(width)) and what it makes of x.
function attention(x) {
  const weights = x.map((q) => {
    const powers = x.map((k) => Math.exp(q.reduce((sum, v, c) => sum + v * k[c], 0) / Math.sqrt(width)));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((v) => v / sum);
  });
  return {weights, out: weights.map((row) => Array.from({length: width}, (_, c) => row.reduce((sum, w, j) => sum + w * x[j][c], 0)))};
}

// What attention makes of a sentence: {weights, out}.
export function read(sentence, with_positions) {
  const rows = table({scheme: "sinusoidal", options: {dim: String(width)}}, `0:${sentence.length}`).data;
  return attention(sentence.map((word, p) => vector_of(word).map((v, c) => v + (with_positions ? rows[p * width + c] : 0))));
}
