#!/usr/bin/env python3
"""folders.py SRC: no two folders of the library include each other; a folder's subfolders are part of it."""
import collections
import pathlib
import re
import sys


def arrows(src):
    """{(folder, other folder): ["file -> header", ...]} for every #include that leaves a folder."""
    out = collections.defaultdict(list)
    for file in sorted(p for p in src.rglob("*") if p.suffix in {".h", ".cc", ".cu"}):
        inside = file.relative_to(src)
        for header in re.findall(r'^\s*#\s*include "([^"]+)"', file.read_text(), re.M):
            if (src / header).exists() and folder(pathlib.Path(header)) != folder(inside):
                out[folder(inside), folder(pathlib.Path(header))].append(f"{inside} -> {header}")
    return out


def folder(path):
    return path.parts[0] if len(path.parts) > 1 else "."


def main():
    found = arrows(pathlib.Path(sys.argv[1]))
    if len(found) < 20:
        sys.exit(f"expected the folders of the library in {sys.argv[1]}, got {len(found)} arrows between folders")
    both = [(a, b) for a, b in found if a < b and (b, a) in found]
    for a, b in both:
        few, many = sorted((found[a, b], found[b, a]), key=len)
        print(f"{a} and {b} include each other ({len(few)} and {len(many)}):", *few, sep="\n  ")
    sys.exit(1 if both else 0)


if __name__ == "__main__":
    main()
