// gguf.js: the start of a GGUF file without its long lists and texts (vocabularies, merges, templates), which the library passes
// over: what is left of megabytes fits into an address.

const sizes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8], text = 8, list = 9;  // bytes of a value, by its type
const longest_list = 1024, longest_text = 4096;  // longer ones are told by their length alone
const at_first = 1 << 20, most = 1 << 28;  // bytes that are read to find where the start ends

// {bytes, old_end}: the start of the file as it may be told, and where the data begin now; null for another file.
export async function short_start(file) {
  for (let size = at_first; size <= most; size *= 4) {
    const bytes = new Uint8Array(await file.slice(0, Math.min(file.size, size)).arrayBuffer());
    if (String.fromCharCode(...bytes.subarray(0, 4)) !== "GGUF") return null;
    try {
      return shortened(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;  // it goes on beyond these bytes
    }
    if (bytes.length === file.size) break;
  }
  return null;
}

function shortened(bytes) {
  const view = new DataView(bytes.buffer), whole = (at) => Number(view.getBigUint64(at, true)), tensors = whole(8), count = whole(16);
  const after_text = (at) => at + 8 + whole(at);
  const after = (type, at) => {
    if (type === text) return after_text(at);
    if (type !== list) return at + sizes[type];
    const inner = view.getUint32(at, true), items = whole(at + 4);
    if (sizes[inner]) return at + 12 + items * sizes[inner];
    let end = at + 12;
    for (let i = 0; i < items; ++i) end = after(inner, end);
    return end;
  };
  const is_long = (type, at) => (type === list && whole(at + 4) > longest_list) || (type === text && whole(at) > longest_text);
  const kept = [];
  let at = 24, alignment = 32;
  for (let i = 0; i < count; ++i) {
    const begin = at, value = after_text(at) + 4, type = view.getUint32(value - 4, true);
    at = after(type, value);
    if (!is_long(type, value)) kept.push(bytes.subarray(begin, at));
    if (new TextDecoder().decode(bytes.subarray(begin + 8, value - 4)) === "general.alignment") alignment = view.getUint32(value, true);
  }
  const infos = at;
  for (let i = 0; i < tensors; ++i) {
    const sides = after_text(at);
    at = sides + 4 + 8 * view.getUint32(sides, true) + 12;
  }
  if (at > bytes.length) throw RangeError("the start of the file goes on");
  const start = bytes.slice(0, 24), filled = (end) => Math.ceil(end / alignment) * alignment;
  new DataView(start.buffer).setBigUint64(16, BigInt(kept.length), true);
  const parts = [start, ...kept, bytes.subarray(infos, at)], out = new Uint8Array(filled(parts.reduce((sum, part) => sum + part.length, 0)));
  let end = 0;
  for (const part of parts) out.set(part, end), end += part.length;
  return {bytes: tensors ? out : out.subarray(0, end), old_end: tensors ? filled(at) : at};
}
