// dropped.js: dropped files as links restore them. Of each, what the tool has read is packed: small packs go into the address,
// larger ones into this browser's own store, of which the address has the name. Nothing is sent anywhere.
import {short_start} from "./gguf.js";

const most_in_address = 1 << 16, most_kept = 20;

// A file of which some parts are known; the rest, which nobody reads, is zeros.
class Sparse {
  constructor(name, size, parts) {
    Object.assign(this, {name, size, parts});
  }

  slice(from, end) {
    return {arrayBuffer: async () => {
      const out = new Uint8Array(Math.min(end, this.size) - from);
      for (const part of this.parts) {
        const start = Math.max(part.from, from), stop = Math.min(part.from + part.bytes.length, end);
        if (start < stop) out.set(part.bytes.subarray(start - part.from, stop - part.from), start - from);
      }
      return out.buffer;
    }};
  }

  arrayBuffer() {
    return this.slice(0, this.size).arrayBuffer();
  }
}

// {name, size, parts} of a file and of what was read of it, [[from, end]].
async function known_parts(file, read) {
  const bytes = async (from, end) => new Uint8Array(await file.slice(from, end).arrayBuffer());
  const start = await short_start(file), begin = start?.old_end ?? 0, shift = start ? start.bytes.length - start.old_end : 0;
  const parts = start ? [{from: 0, bytes: start.bytes}] : [];
  for (const [from, end] of read)
    if (end > begin) parts.push({from: Math.max(from, begin) + shift, bytes: await bytes(Math.max(from, begin), end)});
  return {name: file.name, size: file.size + shift, parts};
}

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

// One after the other: the length of what follows, what the parts are as JSON, the parts.
async function pack(files) {
  const told = new TextEncoder().encode(JSON.stringify(files.map(({name, size, parts}) =>
    ({name, size, parts: parts.map(({from, bytes}) => [from, bytes.length])}))));
  const all = new Blob([Uint32Array.of(told.length), told, ...files.flatMap(({parts}) => parts.map(({bytes}) => bytes))]);
  return through(all, new CompressionStream("deflate-raw"));
}

async function unpack(packed) {
  const bytes = await through(packed, new DecompressionStream("deflate-raw")), [length] = new Uint32Array(bytes.slice(0, 4).buffer);
  let at = 4 + length;
  return JSON.parse(new TextDecoder().decode(bytes.subarray(4, at))).map(({name, size, parts}) =>
    new Sparse(name, size, parts.map(([from, count]) => ({from, bytes: bytes.subarray(at, at += count)}))));
}

function to_text(bytes) {
  let out = "";
  for (const byte of bytes) out += String.fromCharCode(byte);
  return btoa(out).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const from_text = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

// What the address says of files: {files} or {kept}. mounted: as the engine has them, beside the files.
export async function remembered(files, mounted) {
  try {
    const packed = await pack(await Promise.all(files.map((file, i) => known_parts(file, mounted[i].read()))));
    return (packed.length * 4) / 3 <= most_in_address ? {files: to_text(packed)} : {kept: await keep(packed)};
  } catch {
    return {};  // a browser without a store, or a file that is gone: what is shown lasts as long as the page
  }
}

// The files that an address tells of; null where they are kept in another browser, or no more, or the address was cut.
export async function restored({files, kept}) {
  try {
    const packed = files ? from_text(files) : await find(kept);
    return packed ? await unpack(packed) : null;
  } catch {
    return null;
  }
}

// ---- the browser's store ----
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

async function store(mode) {
  const request = indexedDB.open("posenc", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("files");
  return (await done(request)).transaction("files", mode).objectStore("files");
}

const find = async (name) => done((await store("readonly")).get(name));

// Under a name that tells when; the oldest go.
async function keep(packed) {
  const name = Date.now().toString(36).padStart(9, "0") + Math.random().toString(36).slice(2, 8), files = await store("readwrite");
  files.put(packed, name);
  const names = await done(files.getAllKeys());
  for (const old of names.sort().slice(0, -most_kept)) files.delete(old);
  return name;
}
