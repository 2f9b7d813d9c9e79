#!/usr/bin/env python3
"""types.py ROOT: a name is that of one type in include/ and src/, so that a search for it finds what it is.

Types inside other types count too. The names that may be repeated are listed here."""
import pathlib
import re
import sys

SHARED = {
    "Inputs": "of every form of a bias: what it computes from a query and a key, once for all heads",
    "Kind": "of a Wave, a Json, ...: each type's own list of its kinds",
    "Sign": "of eigenvectors, and of a rotation: posenc::graph::Sign and posenc::Sign",
}
TYPE = re.compile(r"^ *(?:template <.*> )?(?:struct|class|enum|enum class) (?:POSENC_PUBLIC )?([A-Z]\w*)(?: final)?(?: : [^{;]+)? \{", re.M)


def main():
    root, places = pathlib.Path(sys.argv[1]), {}
    for folder in ("include", "src"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc", ".cu"):
                for name in set(TYPE.findall(path.read_text())):
                    places.setdefault(name, []).append(str(path.relative_to(root)))
    repeated = {name: files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(repeated.items()):
        if name not in SHARED:
            print(f"expected one type {name}, got one in each of {', '.join(files)}")
    for name in sorted(SHARED.keys() - repeated.keys()):
        print(f"{name} is one type now: it need not be listed in types.py")
    print(f"{len(places)} types, {len(repeated)} names of two")
    sys.exit(len(places) < 500 or repeated.keys() != SHARED.keys())


if __name__ == "__main__":
    main()
