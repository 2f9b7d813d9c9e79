// code.js: what makes the numbers of a picture outside of the page: a command line, C++ and Python.
import {count_of, cpp_at, first_of, python_at} from "./code_places.js";
import {scheme_words} from "./pictures/rows.js";
import {rule_text, usual_rules, variants} from "./pictures/variants.js";
import {nested} from "./state.js";

const shell_word = (word) => (/^[\w.:,=+\-\/]+$/.test(word) ? word : `'${word}'`);
export const shell = (words) => "posenc " + words.map(String).map(shell_word).join(" ");

const drawn = {heatmap: "heatmap", waves: "waves", similarity: "similarity", wavelengths: "wavelengths", decay: "decay",
  rules: "rules", curves: "curves", square: "heatmap", buckets: "buckets", patches: "patches"};

export function command_line(kind, asked) {
  const words = scheme_words(asked), out = [];
  const positions = asked.positions && !["wavelengths", "rules"].includes(kind) ? ["--positions", asked.positions] : [];
  if (drawn[kind]) {
    const compare = asked.compare || (kind === "rules" ? usual_rules : "");
    const extra = [...(compare ? ["--compare", compare] : []), ...(kind === "square" && asked.head ? ["--head", asked.head] : []),
      ...(kind === "patches" ? ["--grid", asked.grid || "14x20"] : [])];
    out.push(shell(["show", ...words, "--kind", drawn[kind], ...positions, ...extra, "--out", "picture.svg"]));
  }
  if (kind === "wavelengths" || kind === "rules") out.push(shell(["frequencies", ...words]));
  else if (kind === "circles") out.push(shell(["table", ...words, "--positions", `${asked.q ?? 7},${asked.k ?? 3}`]));
  else if (kind === "square") out.push(shell(["table", ...words, "--queries", asked.tokens || "0:64", "--keys", asked.tokens || "0:64", "--out", "bias.npy"]));
  else if (kind !== "patches" && kind !== "directions") out.push(shell(["table", ...words, ...positions, "--out", "table.csv"]));
  return out.join("\n");
}

// Where the tokens of a picture stand.
const usual = {waves: "0:64:0.25", curves: "-64:65", buckets: "-160:161", square: "0:64", decay: "0:1024"};
function places(kind, asked) {
  if (kind === "patches" || kind === "directions") {
    const [height, width] = (asked.grid || "14x20").split("x").map(Number);
    return {height, width};
  }
  return (kind === "square" ? asked.tokens : kind === "circles" ? `${asked.q ?? 7},${asked.k ?? 3}` : asked.positions) || usual[kind] || "0:128";
}

// ---- Python ----
function literal(value) {
  if (value === true || value === false) return value ? "True" : "False";
  if (typeof value === "object") return `{${Object.entries(value).map(([k, v]) => `"${k}": ${literal(v)}`).join(", ")}}`;
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}

// named: where a preset is no positional argument.
export const python_options = (asked, named = "") => [...(asked.preset ? [named + JSON.stringify(asked.preset)] : []),
  ...Object.entries(nested(asked.options)).map(([name, value]) => `${name}=${literal(value)}`)].join(", ");

export const python_scheme = (asked) => `posenc.scheme(${[JSON.stringify(asked.scheme), python_options(asked)].filter(Boolean).join(", ")})`;

const python_uses = {
  rotary: (by, at, axes) => `cos, sin = ${by}.cos_sin(${python_at(at, axes)})  # [positions, pairs] each\n`,
  absolute: (by, at, axes) => `rows = ${by}.table(${python_at(at, axes)})  # [positions, dim]\n`,
  relative: (by, at, axes, kind) => (kind === "square" ? `bias = ${by}.bias(queries=${python_at(at)}, keys=${python_at(at)})  # [heads, queries, keys]\n`
    : `bias = ${by}.profile(${first_of(at)}, ${count_of(at)})  # [heads, distances]\n`),
};

export function python(asked, info, kind) {
  const by = info.initial ? "plan" : "encoding", at = places(kind, asked), start = "import numpy as np\nimport posenc\n\n";
  if (info.family === "rotary" && (kind === "wavelengths" || kind === "rules"))
    return start + variants(rule_text(kind, asked)).map((one) =>
      `print(2 * np.pi / ${python_scheme(one.asked)}.inv_freq)  # wavelengths${one.name ? ": " + one.name : ""}\n`).join("");
  if (kind === "decay" && info.family === "rotary")
    return start + variants(asked).map((one) => `encoding = ${python_scheme(one.asked)}\n` +
      `q = encoding.rotate(np.ones((${count_of(at)}, 1, encoding.dim), np.float32), positions=${python_at(at, info.axes)})\n` +
      "scores = q[:, 0].mean(1)  # with a key of ones at 0\n").join("");
  const plan = info.initial ? "plan = encoding.plan(encoding.initial_weights(seed=0))\n" : "";
  return `${start}encoding = ${python_scheme(asked)}\n${plan}${python_uses[info.family]?.(by, at, info.axes, kind) ?? ""}`;
}

// ---- C++ ----
const include = "#include <posenc/posenc.h>\n\n#include <vector>\n\n";

export function cpp_scheme(asked, name = "scheme") {
  const options = [...(asked.preset ? [["preset", asked.preset]] : []), ...Object.entries(asked.options)];
  const list = options.map(([option, value]) => `{"${option}", "${value}"}`).join(", ");
  return `const posenc::Scheme ${name} = posenc::make_scheme("${asked.scheme}", {${list}});\n`;
}

function cpp_rows(places_of, axes) {
  const {before, count, at} = cpp_at("at", places_of, axes);
  return `${before}const posenc::AbsolutePlan& rows = posenc::rows_of(plan);  // of a rotary scheme: cosines, then sines\n` +
    `std::vector<float> numbers(${count} * static_cast<size_t>(rows.dim()));\n` +
    `posenc::fill(rows, posenc::tensor(numbers.data(), {${count}, rows.dim()}), ${at});\n`;
}

function cpp_bias(at, axes, kind) {
  const plan = "const auto& bias = std::get<posenc::BiasPlan>(plan);\n", count = count_of(at);
  if (kind === "square") return `${plan}std::vector<float> numbers(static_cast<size_t>(bias.heads()) * ${count} * ${count});\n` +
    `posenc::fill(bias, posenc::tensor(numbers.data(), {bias.heads(), ${count}, ${count}}));\n`;
  return `${plan}std::vector<float> numbers(static_cast<size_t>(bias.heads()) * ${count});\n` +
    `posenc::fill_profile(bias, posenc::tensor(numbers.data(), {bias.heads(), ${count}}), ${first_of(at)});\n`;
}

export function cpp(asked, info, kind) {
  if (info.family === "rotary" && (kind === "wavelengths" || kind === "rules"))
    return include + variants(rule_text(kind, asked)).map((one, i) => cpp_scheme(one.asked, `scheme_${i}`) +
      `const posenc::Plan plan_${i} = posenc::prepare(scheme_${i});\n` +
      `const auto& frequencies_${i} = std::get<posenc::RotaryPlan>(plan_${i}).frequencies();\n`).join("");
  const at = places(kind, asked);
  const plan = info.initial ? "// posenc::weights(scheme) lists what it learns\nconst posenc::Plan plan = posenc::prepare(scheme, {.weights = weights});\n"
    : "const posenc::Plan plan = posenc::prepare(scheme);\n";
  const used = {absolute: cpp_rows, rotary: cpp_rows, relative: cpp_bias}[info.family];
  return include + cpp_scheme(asked) + plan + (used?.(at, info.axes, kind) ?? "");
}

// All three.
export const code_of = (kind, asked, info) => ({shell: command_line(kind, asked), cpp: cpp(asked, info, kind), python: python(asked, info, kind)});
