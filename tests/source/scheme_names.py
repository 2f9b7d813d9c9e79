#!/usr/bin/env python3
"""scheme_names.py ROOT: kernels and drivers know no scheme, and the Python package decides nothing by the name of one.

They are given forms and facts. Names may be given in Python to what makes a scheme, and stand in documentation. Not read: experiments and benchmarks
over named schemes (lab, bench), and the rules of patch(), each of which is for one class of Transformers (_replace*.py)."""
import ast
import pathlib
import re
import sys

FAMILIES = ("absolute", "rotary", "relative", "content", "graph")
DEVICES = ("cpu", "cuda", "orders")
EXEMPT = ("lab/", "bench/", "torch/_replace")


def schemes(include):
    """{type: name} of all schemes in the families' lists."""
    names, types = {}, set()
    for header in include.rglob("*.h"):
        names.update(re.findall(r'struct (\w+) \{\s*static constexpr std::string_view name = "([^"]+)"', header.read_text()))
    for family in FAMILIES:
        listed = re.search(r"using \w+ =\s*std::variant<([^;]*)>;", (include / f"{family}.h").read_text())
        types |= set(re.findall(r"\w+", listed[1])) if listed else set()
    return {t: names[t] for t in types & names.keys()}


def types_in(file, types):
    """(line, type) where code, not a comment, names one of the types."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        yield from ((number, word) for word in re.findall(r"\w+", line.split("//")[0]) if word in types)


def constants(node):
    """Text in a literal, and in the literals that a container holds."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    for inner in getattr(node, "elts", None) or getattr(node, "keys", None) or ():
        yield from constants(inner) if inner is not None else ()


def decisions(tree):
    """Text that something is compared with, looked up in, or begins with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield from constants(side)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("startswith", "endswith", "removeprefix"):
            for argument in node.args:
                yield from constants(argument)
        elif isinstance(node, ast.MatchValue):
            yield from constants(node.value)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, (ast.Set, ast.Dict, ast.List, ast.Tuple)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if not any(getattr(t, "id", "") == "__all__" for t in targets):
                yield from constants(node.value)


def main():
    root = pathlib.Path(sys.argv[1])
    known, package = schemes(root / "include" / "posenc"), root / "python" / "posenc"
    files = [f for f in sorted(package.rglob("*.py")) if not str(f.relative_to(package)).startswith(EXEMPT)]
    sources = [f for folder in DEVICES for f in sorted((root / "src" / folder).rglob("*")) if f.suffix in {".h", ".cc", ".cu"}]
    if min(len(known), len(files), len(sources)) < 30:
        sys.exit(f"expected the sources of posenc in {root}, got {len(known)} schemes and {len(files) + len(sources)} files")
    names = set(known.values())
    found = [(f, c.lineno, c.value) for f in files for c in decisions(ast.parse(f.read_text())) if c.value.strip() in names]
    found += [(f, *place) for f in sources for place in types_in(f, known)]
    for file, line, name in found:
        print(f"{file}:{line}: expected a form or a fact of the scheme, got its name, {name!r}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
