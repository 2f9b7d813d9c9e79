// package_test.mjs: the package as a user imports it, from node_modules/posenc beside this file.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { load } from "posenc";

const posenc = await load();
const near = (got, wanted, limit) => {
  assert.equal(got.length, wanted.length);
  wanted.forEach((w, i) => assert.ok(Math.abs(got[i] - w) <= limit, `element ${i}: expected ${w}, got ${got[i]}`));
};
const about = JSON.parse(await readFile(new URL("node_modules/posenc/package.json", import.meta.url)));
assert.equal(posenc.version, about.version);
for (const file of about.files) await readFile(new URL(`node_modules/posenc/${file}`, import.meta.url));
assert.ok(posenc.schemes().some(scheme => scheme.name === "rope"));

// The paper's table, from a position that f32 angles would miss.
const paper = posenc.plan("sinusoidal", { dim: 4 });
const row = p => [Math.sin(p), Math.cos(p), Math.sin(p / 100), Math.cos(p / 100)];
const first = 123456;
near(paper.table(2, { positions: first, type: Float64Array }), [...row(first), ...row(first + 1)], 1e-10);
near(paper.table(2, { positions: [7.5, 3] }), [...row(7.5), ...row(3)], 1e-7);
near(paper.add(new Float32Array(4).fill(1), [1, 4], { positions: new Int32Array([5]) }), row(5).map(x => x + 1), 1e-6);
assert.ok(paper.table(1) instanceof Float32Array);
near(paper.table(1, { positions: -(2 ** 33) - 1, type: Float64Array }), row(-(2 ** 33) - 1), 1e-6);

// A rotation of pairs (x[i], x[i + 2]), and back.
const rope = posenc.plan("rope", { dim: 4, layout: "half" });
const x = Float64Array.from([1, 2, 3, 4, -1, 0.5, 2, 8]);
const turned = rope.rotate(x, [1, 2, 1, 4], { positions: 9 });
const wanted = [9, 10].flatMap((p, t) => {
  const [a, b, c, d] = x.subarray(4 * t), turns = [p, p / 100];
  const pair = (u, v, angle) => [u * Math.cos(angle) - v * Math.sin(angle), v * Math.cos(angle) + u * Math.sin(angle)];
  const [one, two] = [pair(a, c, turns[0]), pair(b, d, turns[1])];
  return [one[0], two[0], one[1], two[1]];
});
near(turned, wanted, 1e-14);
near(rope.rotate(turned, [1, 2, 1, 4], { positions: 9, inverse: true }), Array.from(x), 1e-14);
near(x, [1, 2, 3, 4, -1, 0.5, 2, 8], 0);

// ALiBi: -slope * distance, slopes 1/16 and 1/256 of two heads; the query stands at 2.
const alibi = posenc.plan("alibi", { heads: 2 });
near(alibi.bias(1, 3, { query_positions: 2 }), [-2 / 16, -1 / 16, 0, -2 / 256, -1 / 256, 0], 1e-7);
assert.deepEqual(Array.from(alibi.bias(1, 2, { causal: true })), [0, -Infinity, 0, -Infinity]);

// A scheme with weights.
const [{ shape }] = posenc.describe("t5", { heads: 1 }).weights;
const rows = Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => i);
const t5 = posenc.plan("t5", { heads: 1 }, { weights: [{ data: rows, shape }] });
near(t5.bias(1, 2), [0, shape[0] / 2 + 1], 0);

assert.throws(() => posenc.plan("rope", { dim: 7, layout: "half" }), /expected .*got 7/);
assert.throws(() => rope.rotate(x, [1, 2, 1, 5]), /expected 10 numbers/);
assert.throws(() => rope.rotate(Array.from(x), [1, 2, 1, 4]), /expected a Float32Array/);
for (const plan of [paper, rope, alibi, t5]) plan.free();
const again = await load(await readFile(new URL("node_modules/posenc/posenc.wasm", import.meta.url)));
assert.equal(again.version, posenc.version);
console.log("the package works");
