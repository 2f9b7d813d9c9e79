// engine.js: the posenc tool inside the page. run(["table", "rope", ...]) does what the same words do on
// a command line, with files that live in memory. Nothing here knows an encoding.

let tool = null;
let lines = {out: [], err: []};

// build.sh puts the module and its bytes (gzip, then base64) into the script tool.js.
async function unpacked() {
  const {body} = await fetch("data:application/gzip;base64," + self.posenc_wasm);
  delete self.posenc_wasm;
  return new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// Whatever may throw is called through a table of functions, and looking one up is slow: each is remembered.
function remember(table) {
  const known = [], get = table.get.bind(table);
  table.get = (i) => (known[i] ??= get(i));
}

export async function start() {
  const bytes = await unpacked();
  tool = await self.posenc_module({
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(bytes, imports).then(({instance}) => {
        for (const part of Object.values(instance.exports)) if (part instanceof WebAssembly.Table) remember(part);
        done(instance);
      });
      return {};
    },
    print: (line) => lines.out.push(line),
    printErr: (line) => lines.err.push(line),
  });
}

// {code, out, err}: what the tool returned and printed.
export function run(words) {
  lines = {out: [], err: []};
  const top = tool.stackSave();  // callMain leaves the words there
  const code = tool.callMain(words.map(String));
  tool.stackRestore(top);
  return {code, out: lines.out.join("\n"), err: lines.err.join("\n")};
}

// The same, but a failure is an Error with the tool's sentence.
export function text(words) {
  const {code, out, err} = run(words);
  if (code !== 0) throw Error(err.replace(/^posenc: /, "") || `exit code ${code}`);
  return out;
}

export function json(words) {
  return JSON.parse(text([...words, "--json"]));
}

// Schemes as `posenc list` tells them; with words, one of them with its options as they are then.
export function schemes(words = []) {
  return json(["list", ...words]).schemes;
}

// The numbers of a command that takes --out: {shape, data}.
export function array(words) {
  text([...words, "--out", "/array.npy"]);
  return read_npy(tool.FS.readFile("/array.npy"));
}

// Rows of positions first, first + 1, ... by the library's C functions: the same numbers as those of posenc table,
// without a command line to be read, for what is dragged. options: as JSON has them, preset included. An Error where
// the scheme needs more than that.
export function rows(scheme, options, first, count) {
  const m = tool, places = [4, 40, 16, 16].map((bytes) => m._malloc(bytes)), [plan_at, tensor, shape, at] = places;
  const check = (status) => {
    if (status) throw Error(m.UTF8ToString(m._posenc_last_error()));
  };
  let plan = 0, data = 0;
  try {
    const types = ["string", "string", ...Array(7).fill("number")];  // 64-bit integers travel as two halves
    check(m.ccall("posenc_prepare", "number", types, [scheme, JSON.stringify(options), 0, 0, 0, 0, 0, 0, plan_at]));
    plan = m.HEAP32[plan_at >> 2];
    const {dim} = JSON.parse(m.UTF8ToString(m._posenc_plan_info(plan)));
    data = m._malloc(4 * count * dim);
    m.HEAP32.set([count, 0, dim, 0], shape >> 2);
    m.HEAP32.set([data, 1, 0, 2, 2 | (32 << 8) | (1 << 16), shape, 0, 0, 0, 0], tensor >> 2);  // f32, on the CPU
    m.HEAP32.set([first >>> 0, Math.floor(first / 2 ** 32), 0, 0], at >> 2);
    check(m._posenc_fill(plan, tensor, at, 0));
    return {shape: [count, dim], data: m.HEAPF32.slice(data >> 2, (data >> 2) + count * dim)};
  } finally {
    for (const place of [...places, data]) m._free(place);
    m._posenc_free(plan);
  }
}

// What live.cc computes: action is a function of it with its arguments, arrays {name: {shape, data}}.
function computed(arrays, action, ...given) {
  write_file("/in.safetensors", to_safetensors(arrays));
  const wrong = tool.ccall(action, "string", given.map((value) => (typeof value === "string" ? "string" : "number")), given);
  if (wrong) throw Error(wrong);
  return read_npy(tool.FS.readFile("/array.npy"));
}

// Scores with the term of a scheme that reads queries, keys or gates: arrays: {q, k, gates, scores, queries, keys}.
export const with_term = (scheme, options, arrays, causal) => computed(arrays, "page_add", scheme, JSON.stringify(options), causal ? 1 : 0);

// What a convolution adds to x; grid: {height, width}, or none.
export const convolved = (scheme, options, x, {height, width} = {}) =>
  computed({x}, "page_convolve", scheme, JSON.stringify(options), height ?? 0, width ?? 0);

export function write_file(path, bytes) {
  tool.FS.writeFile(path, bytes);
}

const types = {"<f4": Float32Array, "<f8": Float64Array, "<i8": BigInt64Array, "<i4": Int32Array};

function read_npy(bytes) {
  const start = 10 + bytes[8] + 256 * bytes[9];
  const header = new TextDecoder().decode(bytes.subarray(10, start));
  const shape = header.match(/'shape': \(([^)]*)\)/)[1].split(",").filter((s) => s.trim()).map(Number);
  const Type = types[header.match(/'descr': '([^']*)'/)[1]];
  return {shape, data: new Type(bytes.slice(start).buffer)};
}

export function to_npy(shape, data) {
  const sizes = shape.join(", ") + (shape.length === 1 ? "," : "");
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${sizes}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + "\n";
  const start = new TextEncoder().encode("\x93NUMPY\x01\x00" + "\0\0" + header).slice(1);  // \x93 takes two bytes
  start[0] = 0x93;
  start[8] = header.length % 256, start[9] = header.length >> 8;
  const out = new Uint8Array(start.length + 4 * data.length);
  out.set(start);
  out.set(new Uint8Array(Float32Array.from(data).buffer), start.length);
  return out;
}

const names_of_types = new Map([[Float32Array, "F32"], [BigInt64Array, "I64"]]);

function to_safetensors(arrays) {
  const header = {}, all = Object.entries(arrays);
  let end = 0;
  for (const [name, {shape, data}] of all)
    header[name] = {dtype: names_of_types.get(data.constructor), shape, data_offsets: [end, end += data.byteLength]};
  const text = JSON.stringify(header), told = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8));
  const out = new Uint8Array(8 + told.length + end);
  new DataView(out.buffer).setBigUint64(0, BigInt(told.length), true);
  out.set(told, 8);
  for (const [name, {data}] of all) out.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 8 + told.length + header[name].data_offsets[0]);
  return out;
}

// Puts a dropped file where the tool finds it. A large one is not read whole: the tool reads headers and the
// few tensors that hold positions. What it asks for and is not here yet is noted as missing; fetch() gets that,
// and the tool runs again. read() tells what it has read, [[from, end]].
const at_once = 1 << 24;

export async function mount(name, blob) {
  const path = "/" + name.replace(/[^\w.\-]/g, "_");
  if (tool.FS.analyzePath(path).exists) tool.FS.unlink(path);
  const parts = blob.size <= at_once ? [{from: 0, bytes: new Uint8Array(await blob.arrayBuffer())}] : [], asked = [];
  let wanted = null;
  const node = tool.FS.createFile("/", path.slice(1), {}, true, false);
  node.usedBytes = blob.size;
  const operations = {...node.stream_ops};
  operations.read = (stream, buffer, offset, length, position) => {
    const end = Math.min(position + length, blob.size);
    const part = parts.find((p) => p.from <= position && end <= p.from + p.bytes.length);
    if (!part) wanted = {from: position, end: Math.min(end + (1 << 20), blob.size)};
    if (!part) throw new tool.FS.ErrnoError(29);
    asked.push([position, end]);
    buffer.set(part.bytes.subarray(position - part.from, end - part.from), offset);
    return end - position;
  };
  node.stream_ops = operations;
  return {
    path,
    missing: () => wanted !== null,
    read: () => joined(asked),
    fetch: async () => {
      const {from, end} = wanted;
      wanted = null;
      parts.push({from, bytes: new Uint8Array(await blob.slice(from, end).arrayBuffer())});
    },
  };
}

// Stretches of a file, in order, each once.
function joined(stretches) {
  const out = [];
  for (const [from, end] of stretches.filter(([from, end]) => from < end).sort((a, b) => a[0] - b[0]))
    if (out.length && from <= out.at(-1)[1]) out.at(-1)[1] = Math.max(out.at(-1)[1], end);
    else out.push([from, end]);
  return out;
}

// Runs words, which name the mounted files, until nothing of them is missing.
export async function run_on(files, words) {
  for (;;) {
    const result = run(words);
    const lacking = files.filter((file) => file.missing());
    if (lacking.length === 0) return result;
    for (const file of lacking) await file.fetch();
  }
}
