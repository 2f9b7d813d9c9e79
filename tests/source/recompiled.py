#!/usr/bin/env python3
"""recompiled.py NINJA BUILD: a new name in a family's list recompiles under 20 objects of the library.

Counted are the objects of posenc and posenc_model, by what ninja knows they include; a new source file adds one of its
folder's groups at most, all of which include the list already."""
import subprocess
import sys

LISTS = ("absolute", "relative", "rotary", "content", "graph")
LIMIT = 20


def included(ninja, build):
    """{object: what it includes} of the library."""
    text = subprocess.run([ninja, "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    out, files = {}, None
    for line in text.splitlines():
        if line and not line.startswith(" "):
            files = out.setdefault(line.split(":")[0], [])
        elif line.strip():
            files.append(line.strip())
    return {o: f for o, f in out.items() if o.startswith(("CMakeFiles/posenc.dir/", "CMakeFiles/posenc_model.dir/"))}


def main():
    objects = included(*sys.argv[1:3])
    failed = len(objects) < 2 * LIMIT
    if failed:
        print(f"expected a library that is built, got {len(objects)} objects")
    for name in LISTS:
        header = f"include/posenc/{name}.h"
        users = sorted(o for o, files in objects.items() if any(f.endswith(header) for f in files))
        print(f"{header}: {len(users)} of {len(objects)} objects")
        if not 0 < len(users) < LIMIT:
            print(f"expected 1 to {LIMIT - 1} objects that include {header}, got:", *users, sep="\n  ")
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
