// code.js: what makes the numbers of a picture outside of the page: a command line, C++ and Python.
import {scheme_words} from "./pictures/rows.js";
import {nested} from "./state.js";

const shell_word = (word) => (/^[\w.:,=+\-\/]+$/.test(word) ? word : `'${word}'`);
export const shell = (words) => "posenc " + words.map(String).map(shell_word).join(" ");

const drawn = {heatmap: "heatmap", waves: "waves", similarity: "similarity", wavelengths: "wavelengths", decay: "decay",
  rules: "rules", curves: "curves", square: "heatmap", buckets: "buckets", patches: "patches"};

export function command_line(kind, asked) {
  const words = scheme_words(asked), out = [];
  const positions = asked.positions && !["wavelengths", "rules"].includes(kind) ? ["--positions", asked.positions] : [];
  if (drawn[kind]) {
    const extra = [...(asked.compare ? ["--compare", asked.compare] : []), ...(kind === "square" && asked.head ? ["--head", asked.head] : []),
      ...(kind === "patches" ? ["--grid", asked.grid || "14x20"] : [])];
    out.push(shell(["show", ...words, "--kind", drawn[kind], ...positions, ...extra, "--out", "picture.png"]));
  }
  if (kind === "wavelengths" || kind === "rules") out.push(shell(["frequencies", ...words]));
  else if (kind === "circles") out.push(shell(["table", ...words, "--positions", `${asked.q ?? 7},${asked.k ?? 3}`]));
  else if (kind === "square") out.push(shell(["table", ...words, "--queries", asked.tokens || "0:64", "--keys", asked.tokens || "0:64", "--out", "bias.npy"]));
  else if (kind !== "patches") out.push(shell(["table", ...words, ...positions, "--out", "table.csv"]));
  return out.join("\n");
}

function literal(value) {
  if (value === true || value === false) return value ? "True" : "False";
  if (typeof value === "object") return `{${Object.entries(value).map(([k, v]) => `"${k}": ${literal(v)}`).join(", ")}}`;
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}

export function python(asked, info) {
  const words = [JSON.stringify(asked.scheme), ...(asked.preset ? [JSON.stringify(asked.preset)] : []),
    ...Object.entries(nested(asked.options)).map(([name, value]) => `${name}=${literal(value)}`)];
  const scheme = `import posenc\n\nencoding = posenc.scheme(${words.join(", ")})\n`;
  const plan = info.initial ? "plan = encoding.plan(encoding.initial_weights(seed=0))\n" : "", by = info.initial ? "plan" : "encoding";
  const used = {
    rotary: `cos, sin = ${by}.cos_sin(128)  # [128, pairs] each\nq, k = ${by}.rotate(q, k)  # [tokens, heads, dim]\n`,
    absolute: `rows = ${by}.table(128)  # [128, dim]\n`,
    relative: `bias = ${by}.bias(queries=64, keys=64)  # [heads, 64, 64]\n`,
  };
  return scheme + plan + (used[info.family] ?? "");
}

export function cpp(asked, info) {
  const options = [...(asked.preset ? [["preset", asked.preset]] : []), ...Object.entries(asked.options)];
  const list = options.map(([name, value]) => `{"${name}", "${value}"}`).join(", ");
  const scheme = `#include <posenc/posenc.h>\n\nconst posenc::Scheme scheme = posenc::make_scheme("${asked.scheme}", {${list}});\n`;
  const plan = info.initial ? "// posenc::weights(scheme) lists them\nconst posenc::Plan plan = posenc::prepare(scheme, {.weights = weights});\n"
    : "const posenc::Plan plan = posenc::prepare(scheme);\n";
  const used = {
    rotary: "posenc::rotate(std::get<posenc::RotaryPlan>(plan), {q, k});  // [tokens, heads, dim], in place\n",
    absolute: "posenc::add(std::get<posenc::AbsolutePlan>(plan), x, x);  // x: [batch, tokens, dim], in place\n",
    relative: "posenc::add(std::get<posenc::BiasPlan>(plan), scores, scores);  // [batch, heads, queries, keys]\n",
  };
  return scheme + plan + (used[info.family] ?? "");
}
