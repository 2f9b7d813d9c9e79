// accuracy_test.js: fills tables through the C functions of the module and compares them with the
// formula in 60 digits: node accuracy_test.js posenc.js
"use strict";
const fs = require("fs");
const path = require("path");

const digits = 60n;
const one = 10n ** digits;
const mul = (a, b) => (a * b) / one;

function sqrt(x) {
  // of a number in units of 1 / one
  let root = x > one ? x : one;
  for (;;) {
    const next = (root + (x * one) / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

function arctan_inverse(n) {
  let term = one / n, sum = term;
  for (let k = 3n; term !== 0n; k += 2n) {
    term = -term / (n * n);
    sum += term / k;
  }
  return sum;
}
const pi = 4n * (4n * arctan_inverse(5n) - arctan_inverse(239n));

function sine(angle) {
  let x = angle % (2n * pi);
  if (x > pi) x -= 2n * pi;
  let term = x, sum = x;
  for (let k = 2n; term !== 0n; k += 2n) {
    term = -mul(mul(term, x), x) / (k * (k + 1n));
    sum += term;
  }
  return sum;
}

// 10000^(-k / 32), k = 0 .. 31, for rows of 64 columns.
function frequencies() {
  let root = 10000n * one;
  for (let i = 0; i < 5; ++i) root = sqrt(root);
  const out = [one];
  while (out.length < 32) out.push((out[out.length - 1] * one) / root);
  return out;
}

// A double as units of 1 / one, exactly: its bits are whole numbers of 2^-1074.
function exact(x) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x);
  const all = bits.getBigUint64(0), power = (all >> 52n) & 0x7ffn;
  const whole = (all & ((1n << 52n) - 1n)) | (power ? 1n << 52n : 0n);
  const shifted = (whole * one * (1n << (power || 1n))) >> 1075n;
  return all >> 63n ? -shifted : shifted;
}

class Library {
  constructor(module) {
    this.m = module;
  }
  check(status) {
    if (status) throw Error(this.m.ccall("posenc_last_error", "string", [], []));
  }
  plan(scheme, options) {
    const at = this.m._malloc(4);
    // 64-bit integers travel as two halves
    const types = ["string", "string", "number", "number", "number", "number", "number", "number", "number"];
    const given = [scheme, JSON.stringify(options), 0, 0, 0, 0, 0, 0, at];
    this.check(this.m.ccall("posenc_prepare", "number", types, given));
    return this.m.HEAP32[at >> 2];
  }
  // Rows from a first position, which fits 53 bits.
  fill(plan, first, rows, dim, bits) {
    const m = this.m, bytes = bits / 8;
    const data = m._malloc(rows * dim * bytes), tensor = m._malloc(48), at = m._malloc(16), shape = m._malloc(16);
    m.HEAP32.set([rows, 0, dim, 0], shape >> 2);
    m.HEAP32.fill(0, tensor >> 2, (tensor + 48) >> 2);
    m.HEAP32.set([data, 1, 0, 2, 2 | (bits << 8) | (1 << 16), shape, 0], tensor >> 2);
    m.HEAP32.set([first >>> 0, Math.floor(first / 2 ** 32), 0, 0], at >> 2);
    this.check(m.ccall("posenc_fill", "number", ["number", "number", "number", "number"], [plan, tensor, at, 0]));
    const heap = bits === 32 ? m.HEAPF32 : m.HEAPF64;
    const out = Array.from(heap.subarray(data / bytes, data / bytes + rows * dim));
    for (const p of [data, tensor, at, shape]) m._free(p);
    return out;
  }
}

function worst_error(library, bits) {
  const dim = 64, rows = 5, rates = frequencies();
  const plan = library.plan("sinusoidal", {dim});
  let worst = 0n, where = "";
  for (const first of [0, 1000, 123456, 2 ** 24 - 2, 2 ** 31 - 5, -(2 ** 31)]) {
    const table = library.fill(plan, first, rows, dim, bits);
    table.forEach((got, i) => {
      const column = i % dim, position = first + (i - column) / dim;
      const angle = BigInt(position) * rates[column >> 1];
      const wanted = sine(column % 2 ? angle + pi / 2n : angle);
      const error = exact(got) > wanted ? exact(got) - wanted : wanted - exact(got);
      if (error > worst) [worst, where] = [error, `position ${position}, column ${column}`];
    });
  }
  library.m._posenc_free(plan);
  return [Number(worst) / Number(one), where];
}

async function main() {
  const file = path.resolve(process.argv[2]);
  const wasmBinary = fs.readFileSync(file.replace(/js$/, "wasm"));  // newer nodes would fetch it
  const library = new Library(await require(file)({wasmBinary}));
  let good = true;
  for (const [bits, limit] of [[32, 3.1e-8], [64, 4e-16]]) {
    const [error, where] = worst_error(library, bits);
    console.log(`f${bits}: worst error ${error.toExponential(2)} at ${where}; promised ${limit}`);
    good = good && error <= limit;
  }
  let sentence = "";
  try {
    library.plan("sinusoidl", {});
  } catch (error) {
    sentence = error.message;
  }
  console.log(sentence);
  process.exit(good && sentence.includes("did you mean 'sinusoidal'?") ? 0 : 1);
}
main();
