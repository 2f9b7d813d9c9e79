"""Makes one classic script of the page's modules, because pages from files may not load modules.

    bundle.py app.js > out.js

Modules are written as `import {a, b} from "./x.js";`, `import * as x from "./x.js";` and
`export function`, `export async function`, `export const`; each becomes a function that returns its exports.
"""
import pathlib
import re
import sys

IMPORT = re.compile(r'^import (?:\{([^}]*)\}|\* as (\w+)) from "([^"]+)";\n', re.M)
EXPORT = re.compile(r"^export ((?:async )?function|const|class) (\w+)", re.M)


def bundle(entry):
    done, out = {}, []

    def add(path):
        if path in done:
            return done[path]
        text = path.read_text(encoding="utf-8")
        lines = []
        for names, whole, source in IMPORT.findall(text):
            name = add((path.parent / source).resolve())
            lines.append(f"const {whole or '{' + names.replace(' as ', ': ') + '}'} = {name};")
        body = IMPORT.sub("", text)
        exported = [name for _, name in EXPORT.findall(body)]
        body = EXPORT.sub(r"\1 \2", body)
        left = re.search(r"^(?:import|export)\b.*", body, re.M)
        if left:
            sys.exit(f"bundle.py: {path}: expected an import or export of the forms it knows, got {left.group()}")
        done[path] = f"module_{len(done)}"
        lines.append(body + f"return {{{', '.join(exported)}}};")
        out.append(f"const {done[path]} = (() => {{\n" + "\n".join(lines) + "\n})();\n")
        return done[path]

    add(entry.resolve())
    return '"use strict";\n(() => {\n' + "".join(out) + "})();\n"


if __name__ == "__main__":
    sys.stdout.write(bundle(pathlib.Path(sys.argv[1])))
