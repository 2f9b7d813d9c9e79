// two_orders.js: a sentence and the same words in another order, as attention sees them without and with positions.
import {table} from "./rows.js";

// Four words, their vectors made up once, in two orders.
export const sentences = [["我", "喜欢", "吃", "苹果"], ["苹果", "喜欢", "吃", "我"]];
export const width = 8;
export const vectors = {"我": [0.9, -0.3, 0.5, 0.1, -0.7, 0.4, 0.2, -0.6], "喜欢": [-0.2, 0.8, 0.1, -0.5, 0.3, 0.6, -0.4, 0.7],
  "吃": [0.4, 0.2, -0.9, 0.6, 0.1, -0.3, 0.8, 0.5], "苹果": [-0.6, 0.5, 0.3, 0.9, -0.1, 0.2, 0.7, -0.4]};

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
  return attention(sentence.map((word, p) => vectors[word].map((v, c) => v + (with_positions ? rows[p * width + c] : 0))));
}
