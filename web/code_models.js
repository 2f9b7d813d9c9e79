// code_models.js: what files of models say, outside of the page.
import {shell} from "./code.js";

const read = (path) => `posenc::model::read("${path}")`;

export const explain_code = (path = "config.json") => ({shell: `${shell(["explain", path])}\n${shell(["lint", path])}`,
  cpp: `#include <posenc/model/explain.h>\n\nconst std::string told = posenc::model::explain_json(${read(path)});\n`,
  python: `import posenc\n\ntold = posenc.explain("${path}")\nfindings = posenc.lint("${path}")["findings"]\n`});

// The library identifies tables for the tool and for Python.
export const identify_code = (path) => ({shell: shell(["identify", path]),
  python: `import numpy as np\nimport posenc\n\nprint(posenc.identify(np.load("${path}"))["sentence"])\n`});

export const diff_code = (one, other) => ({shell: shell(["diff", one, other]),
  cpp: `#include <posenc/model/diff.h>\n\nconst auto one = ${read(one)}, other = ${read(other)};\nconst posenc::model::Comparison found = posenc::model::diff(one, other);\n`,
  python: `import posenc\n\nprint(posenc.diff("${one}", "${other}"))\n`});
