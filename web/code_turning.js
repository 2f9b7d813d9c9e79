// code_turning.js: queries and keys that are rotated, outside of the page. source: how an encoding is made, by name or from a
// model's file: {words, axes, cpp, python}; the C++ makes `plan`, the Python `encoding`.
import {cpp_scheme, python_scheme, shell} from "./code.js";
import {as_run, cpp_at, python_at} from "./code_places.js";
import {scheme_words} from "./pictures/rows.js";

const cpp_start = "#include <posenc/posenc.h>\n\n#include <vector>\n\n", python_start = "import numpy as np\nimport posenc\n\n";

export const by_name = (asked) => ({words: scheme_words(asked), axes: 1, cpp: cpp_start + cpp_scheme(asked) + "const posenc::Plan plan = posenc::prepare(scheme);\n",
  python: `${python_start}encoding = ${python_scheme(asked)}\n`});

// The part of a model, `where` by its name, `index` among its components; axes: of its positions.
export const of_model = ({path, where, index, axes}) => ({words: ["--model", path, "--part", where], axes,
  cpp: cpp_start.replace("\n\n", "\n#include <posenc/model.h>\n\n") + `const auto model = posenc::model::read("${path}");\n` +
    `const posenc::Plan plan = posenc::prepare(model.components.at(${index}).ready.value());  // ${where}\n`,
  python: `${python_start}encoding = posenc.encodings("${path}")["${where}"]\n`});

const on_axes = ({axes}, text) => Array(axes).fill(text).join(";");

// q, k: the positions of queries and of keys; the products of what comes out are the scores.
export function rotated(source, q, k) {
  const at = [as_run(q), as_run(k)], [queries, keys] = [cpp_at("q_at", at[0], source.axes), cpp_at("k_at", at[1], source.axes)];
  return {
    shell: ["q", "k"].map((name, i) => shell(["apply", ...source.words, "--in", name + ".npy", "--shape", "thd",
      "--positions", on_axes(source, at[i]), "--out", `rotated_${name}.npy`])).join("\n"),
    cpp: source.cpp + queries.before + keys.before + "const auto& rope = std::get<posenc::RotaryPlan>(plan);  // q, k: [tokens, heads, dim], rotated in place\n" +
      `posenc::rotate(rope, {.q = q}, ${queries.at});\nposenc::rotate(rope, {.k = k}, ${keys.at});\n`,
    python: source.python + `q = encoding.rotate(q, positions=${python_at(at[0], source.axes)})  # [tokens, heads, dim]\n` +
      `k = encoding.rotate(None, k, ${python_at(at[1], source.axes)})\nscores = q[:, 0] @ k[:, 0].T\n`,
  };
}

// A cached key that is moved.
export function moved(source, from, to) {
  const [was, now] = [cpp_at("was", String(from), source.axes), cpp_at("now", String(to), source.axes)];
  return {
    shell: shell(["apply", ...source.words, "--in", "cached.npy", "--shape", "thd", "--positions", on_axes(source, to - from), "--out", "moved.npy"]),
    cpp: source.cpp + was.before + now.before + "const auto& rope = std::get<posenc::RotaryPlan>(plan);\n" +
      `posenc::move(rope, ${was.at}, rope, ${now.at}, k);  // k: [1, heads, dim], in place\n`,
    python: source.python + `encoding.move_(k, ${python_at(String(from), source.axes)}, ${python_at(String(to), source.axes)})  # k: [1, heads, dim], in place\n`,
  };
}

// Of one encoding, or of several, one block after the other.
export function wavelengths(sources) {
  const [start] = sources[0].cpp.match(/^(#include.*\n|\n)+/), blocks = sources.map(({cpp}) => cpp.slice(start.length) +
    "const auto& frequencies = std::get<posenc::RotaryPlan>(plan).frequencies();\n");
  return {
    shell: sources.map(({words}) => shell(["frequencies", ...words])).join("\n"),
    cpp: start + (blocks.length === 1 ? blocks[0] : blocks.map((block) => `{\n${block.replace(/^(?=.)/gm, "  ")}}\n`).join("")),
    python: python_start + sources.map(({python}) => `${python.slice(python_start.length)}print(2 * np.pi / encoding.inv_freq)\n`).join(""),
  };
}

// Cosines and sines from one position on, rounded once.
export function phases(source, first, count) {
  const run = `${first}:${first + count}`, {before, at} = cpp_at("at", run, source.axes), python = python_at(run, source.axes);
  return {
    shell: ["exact", "torch-f32"].map((name) => shell(["table", ...source.words, "--positions", on_axes(source, run), "--numerics", name])).join("\n"),
    cpp: source.cpp + before + "const posenc::AbsolutePlan& rows = posenc::rows_of(plan);\n" +
      `std::vector<double> exact(${count} * static_cast<size_t>(rows.dim()));\n` +
      `posenc::fill(rows, posenc::tensor(exact.data(), {${count}, rows.dim()}), ${at});\n`,
    python: `${source.python}exact = encoding.table(${python}, np.float64)\nrounded = encoding.table(${python})\nprint(abs(exact - rounded).max())\n`,
  };
}
