// code_places.js: positions as C++ and Python write them. text: "0:128", "0:64:0.25" or "5,8"; axes: how many the scheme has,
// where tokens of a text stand at the same number on each; a grid is {height, width}.

function places(text) {
  const run = text.match(/^(-?[\d.e]+):(-?[\d.e]+)(?::([\d.e]+))?$/);
  if (!run) return {list: text.split(/[,;]/).map(Number)};
  const [from, end, step] = [Number(run[1]), Number(run[2]), Number(run[3] ?? 1)];
  return {from, step, count: Math.max(0, Math.ceil((end - from) / step - 1e-9))};
}

export const count_of = (text) => places(text).count ?? places(text).list.length;
export const first_of = (text) => places(text).from ?? places(text).list[0];

// A list of whole numbers, "5,6,7", as "5:8"; else as it is.
export function as_run(text) {
  const numbers = text.split(",").map(Number);
  return numbers.length > 1 && numbers.every((n, i) => n === numbers[0] + i) ? `${numbers[0]}:${numbers.at(-1) + 1}` : text;
}

export function python_at(text, axes = 1) {
  if (text.height) return `posenc.positions.grid(${text.height}, ${text.width})`;
  const {list, from, count, step} = places(text);
  const at = list ? `np.array([${list.join(", ")}])` : step !== 1 ? `${from} + ${step} * np.arange(${count})` : `np.arange(${from}, ${from + count})`;
  return axes > 1 ? `np.tile(${at}, (${axes}, 1, 1))` : at;
}

// {before, at, count}: what comes before, the positions as verbs take them, and how many there are.
export function cpp_at(name, text, axes = 1) {
  if (text.height) return {before: `const auto ${name} = posenc::grid({.height = ${text.height}, .width = ${text.width}});\n`, at: name, count: text.height * text.width};
  const {list, from, count, step} = places(text), shape = axes > 1 ? `${axes}, 1, ` : "";
  const at = (size) => `posenc::positions(posenc::tensor(${name}.data(), {${shape}${size}}))`;
  if (list) {
    const numbers = Array(axes).fill(list.join(", ")).join(", ");
    return {before: `const std::vector<int64_t> ${name}{${numbers}};\n`, at: at(list.length), count: list.length};
  }
  const whole = step === 1 && Number.isInteger(from);
  if (whole && axes === 1) return {before: "", at: `posenc::range(${from})`, count};
  const one = whole ? `${from} + i` : `${from} + ${step} * static_cast<double>(i)`, each = axes > 1 ? `for (int axis = 0; axis < ${axes}; ++axis)\n  ` : "";
  return {before: `std::vector<${whole ? "int64_t" : "double"}> ${name};\n${each}for (int64_t i = 0; i < ${count}; ++i) ${name}.push_back(${one});\n`, at: at(count), count};
}
