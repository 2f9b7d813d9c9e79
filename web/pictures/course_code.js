// course_code.js: what makes figures and tables of the course outside of the page, where they are not pictures of a scheme.
import {code_of, cpp_scheme, python_scheme, shell} from "../code.js";
import {positions_code} from "../code_positions.js";
import {scheme_words} from "./rows.js";

const start = "import numpy as np\nimport posenc\n\n", include = "#include <posenc/posenc.h>\n\n";

// Rows are added to the vectors of words, then compared.
export function attention_code(count) {
  const rows = code_of("heatmap", {scheme: "sinusoidal", options: {dim: "8"}, positions: `0:${count}`}, {family: "absolute"});
  return {shell: rows.shell, cpp: rows.cpp + "// x: the vectors of words plus these numbers; the picture is softmax(x x^T / sqrt(8))\n",
    python: rows.python + `x = words + rows  # words: [${count}, 8]\n` + "weights = np.exp(x @ x.T / np.sqrt(8))\nweights /= weights.sum(axis=1, keepdims=True)\n"};
}

// Of each scheme what is claimed of it.
export const check_code = (...all) => ({shell: all.map((asked) => shell(["check", ...scheme_words(asked)])).join("\n"),
  cpp: `#include <posenc/model/check.h>\n\n#include <iostream>\n\n${all.map((asked, i) => cpp_scheme(asked, `scheme_${i}`)).join("")}` +
    `for (const auto& scheme : {${all.map((_, i) => `scheme_${i}`).join(", ")}})\n  for (const auto& p : posenc::model::check(scheme))\n` +
    "    std::cout << p.claim << \": \" << posenc::enum_name(p.verdict) << \"; \" << p.evidence << \"\\n\";\n",
  python: `import posenc\n\nfor scheme in [${all.map((asked) => python_scheme(asked)).join(", ")}]:\n    for claim in posenc.check(scheme):\n` +
    "        print(claim[\"claim\"], claim[\"verdict\"], claim[\"evidence\"])\n"});

export const frequency_code = () => ({shell: "posenc frequencies sinusoidal --dim 64",
  cpp: `${include}const auto frequencies = posenc::geometric(32, {10000}, 2, 64);  // 10000^(-2i/64)\n`,
  python: `${start}frequencies = posenc.scheme("rope", layout="half", dim=64).inv_freq  # rotary encodings have the same\nwavelengths = 2 * np.pi / frequencies\n`});

// Of some schemes, or of all.
export const list_code = (names = []) => ({shell: names.length ? names.map((name) => `posenc list ${name}`).join("\n") : "posenc list",
  cpp: `${include}const auto schemes = posenc::schemes();  // with their presets\n`,
  python: "import posenc\n\nfor scheme in posenc.schemes():\n    print(scheme[\"name\"], scheme[\"about\"], scheme[\"used_by\"])\n"});

// rows: [task, model, segments, ...]
export const segments_code = (rows) => ({...positions_code(["segments", "--segments", rows[0][2], "--model", rows[0][1]]),
  shell: rows.map(([, model, segments]) => shell(["positions", "segments", "--segments", segments, "--model", model])).join("\n")});

export const shift_code = (k) => ({shell: `posenc shift sinusoidal --dim 4 --k ${k}`,
  cpp: `${include}const std::vector<double> matrix = posenc::shift(posenc::Sinusoidal{.dim = 4}, ${k}).matrix();  // [4, 4]\n`,
  python: `import posenc\n\nmatrix = posenc.shift(posenc.scheme("sinusoidal", dim=4), ${k}).matrix()\n`});
