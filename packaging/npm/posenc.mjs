// posenc.mjs: the library for JavaScript, in a browser or in Node.
import create from "./module.mjs";

const KINDS = new Map([[Float32Array, 2 | (32 << 8)], [Float64Array, 2 | (64 << 8)], [Int32Array, 32 << 8]]);

async function read(url) {
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`[load] expected posenc.wasm, got ${answer.status} from ${url}`);
  return answer.arrayBuffer();
}

export async function load(wasm = new URL("./posenc.wasm", import.meta.url)) {
  const is_bytes = wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm);
  return new Library(await create({wasmBinary: is_bytes ? wasm : await read(new URL(wasm, import.meta.url))}));
}

const size_of = shape => shape.reduce((a, b) => a * b, 1);

// What one call keeps in the library's memory, until end().
class Scratch {
  constructor(module) {
    this.m = module;
    this.held = [];
  }
  room(bytes) {
    const at = this.m._malloc(Math.max(bytes, 8));
    if (!at) throw new Error(`[posenc] expected ${bytes} bytes of memory, got none`);
    this.held.push(at);
    return at;
  }
  ints(numbers) {
    const at = this.room(4 * numbers.length);
    this.m.HEAP32.set(numbers, at >> 2);
    return at;
  }
  // A DLTensor, with the numbers of an array or none yet.
  tensor(Type, shape, array) {
    if (!KINDS.has(Type)) throw new TypeError(`[posenc] expected a Float32Array, Float64Array or Int32Array, got ${Type?.name}`);
    if (array && array.length !== size_of(shape)) throw new RangeError(`[posenc] expected ${size_of(shape)} numbers for the shape [${shape}], got ${array.length}`);
    const data = this.room(size_of(shape) * Type.BYTES_PER_ELEMENT);
    if (array) this.view(Type, data, array.length).set(array);
    const sizes = this.ints(shape.flatMap(n => [n, 0]));
    return {Type, data, shape, at: this.ints([data, 1, 0, shape.length, KINDS.get(Type) | (1 << 16), sizes, 0, 0, 0, 0])};
  }
  view(Type, data, length) {
    return new Type(this.m.HEAP8.buffer, data, length);
  }
  numbers({Type, data, shape}) {
    return this.view(Type, data, size_of(shape)).slice();
  }
  // posenc_positions, as two halves of a 64-bit integer and a pointer: a first position, or one for each token.
  positions(given = 0) {
    if (typeof given === "number") return [given >>> 0, Math.floor(given / 2 ** 32), 0, 0];
    const ids = ArrayBuffer.isView(given) ? given : Float64Array.from(given);
    return [0, 0, this.tensor(ids.constructor, [ids.length], ids).at, 0];
  }
  end() {
    for (const at of this.held) this.m._free(at);
  }
}

class Library {
  #m;
  constructor(module) {
    this.#m = module;
  }
  get version() {
    return this.text("posenc_version");
  }
  schemes() {
    return JSON.parse(this.text("posenc_schemes"));
  }
  describe(scheme, options = {}) {
    return JSON.parse(this.text("posenc_describe", ["string", scheme], ["string", JSON.stringify(options)]));
  }
  plan(scheme, options = {}, {length = 0, keep = 0, weights = []} = {}) {
    return new Plan(this, this.with(scratch => {
      const tensors = weights.flatMap(({data, shape}) => {
        const {at} = scratch.tensor(data.constructor, shape, data);
        return Array.from(this.#m.HEAP32.subarray(at >> 2, (at >> 2) + 10));
      });
      const plan = scratch.room(4);
      this.call("posenc_prepare", ["string", scheme], ["string", JSON.stringify(options)], scratch.ints(tensors), weights.length,
                length, 0, keep, 0, plan);
      return this.#m.HEAP32[plan >> 2];
    }));
  }
  // Below: for Plan.
  with(work) {
    const scratch = new Scratch(this.#m);
    try {
      return work(scratch);
    } finally {
      scratch.end();
    }
  }
  ccall(name, result, given) {
    const pairs = given.map(one => (Array.isArray(one) ? one : ["number", one]));
    return this.#m.ccall(name, result, pairs.map(p => p[0]), pairs.map(p => p[1]));
  }
  call(name, ...given) {
    if (this.ccall(name, "number", given)) throw new Error(this.ccall("posenc_last_error", "string", []));
  }
  text(name, ...given) {
    const at = this.ccall(name, "number", given);
    if (!at) throw new Error(this.ccall("posenc_last_error", "string", []));
    return this.#m.UTF8ToString(at);
  }
}

class Plan {
  #library;
  #plan;
  constructor(library, plan) {
    this.#library = library;
    this.#plan = plan;
  }
  get info() {
    return JSON.parse(this.#library.text("posenc_plan_info", this.#plan));
  }
  table(rows, {positions, type = Float32Array} = {}) {
    const info = this.info;
    return this.#library.with(scratch => {
      const out = scratch.tensor(type, [rows, info.dim]);
      this.#library.call("posenc_fill", this.#plan, out.at, scratch.ints(scratch.positions(positions)), 0);
      return scratch.numbers(out);
    });
  }
  add(x, shape, {positions} = {}) {
    return this.#library.with(scratch => {
      const out = scratch.tensor(x.constructor, shape, x);
      this.#library.call("posenc_add", this.#plan, out.at, out.at, scratch.ints(scratch.positions(positions)), 0);
      return scratch.numbers(out);
    });
  }
  rotate(x, shape, {positions, inverse = false} = {}) {
    return this.#library.with(scratch => {
      const out = scratch.tensor(x.constructor, shape, x);
      this.#library.call(inverse ? "posenc_rotate_adjoint" : "posenc_rotate", this.#plan, out.at, 0, 0, 0,
                         scratch.ints(scratch.positions(positions)), 0);
      return scratch.numbers(out);
    });
  }
  bias(queries, keys, {query_positions, key_positions, causal = false, type = Float32Array} = {}) {
    const info = this.info;
    return this.#library.with(scratch => {
      const out = scratch.tensor(type, [info.heads, queries, keys]);
      const scale = [0, 0x3ff00000];  // 1, as an f64
      const options = [...scratch.positions(query_positions), ...scratch.positions(key_positions), 0, 0, ...scale, 0, causal ? 1 : 0];
      this.#library.call("posenc_fill_bias", this.#plan, out.at, scratch.ints(options), 0);
      return scratch.numbers(out);
    });
  }
  free() {
    this.#library.ccall("posenc_free", null, [this.#plan]);
    this.#plan = 0;
  }
}
