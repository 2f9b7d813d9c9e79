#!/usr/bin/env python3
"""run_script.py ROOT: ./run of a tool that is built says nothing and starts no other program; a changed source builds it again.

In a folder that has what ./run looks at: a tool that prints its arguments, and programs that would build it, which log theirs."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

FAKE = """#!/bin/bash
echo "$(basename "$0") $*" >>"$LOG"
[[ $(basename "$0") != dpkg-query ]] || printf 'installed %s\\n' "${@:4}"
"""


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Clone:
    def __init__(self, folder, script):
        self.root, self.log = folder / "clone", folder / "log"
        for name in ("CMakeLists.txt", "CMakePresets.json", "cmake/a.cmake", "include/a.h", "src/a.cc", "tool/a.cc", "reference/a.cc"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).touch()
        shutil.copy(script, self.root / "run")
        build = self.root / "build/local"
        program(build / "tool/cli/posenc", '#!/bin/bash\necho "tool: $*"\nexit 7\n')
        (build / "build.ninja").touch()
        (build / "CMakeCache.txt").write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={build}\n")
        for name in ("cmake", "ninja", "apt-get", "dpkg-query", "sudo"):
            program(folder / "bin" / name, FAKE)
        self.environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LOG": str(self.log)}

    def run(self, *words):
        """(the seconds it took, standard error, what else was started) of ./run WORDS, whose tool must have been called."""
        self.log.write_text("")
        start = time.monotonic()
        done = subprocess.run([self.root / "run", *words], env=self.environment, capture_output=True, text=True)
        seconds = time.monotonic() - start
        told = (done.stdout, done.returncode)
        assert told == (f"tool: {' '.join(words)}\n", 7), f"expected the tool's output and its code 7, got {told} {done.stderr}"
        return seconds, done.stderr, self.log.read_text().splitlines()


def check(clone):
    _, said, started = clone.run("list")
    assert "building in build/local" in said and any(line.startswith("ninja -C") for line in started), (said, started)
    fastest = 9
    for words in (["list"], ["lint", "config.json"], ["demo"], []):  # lint is the tool's command
        seconds, said, started = clone.run(*words)
        assert (said, started) == ("", []), f"expected silence from ./run {words}, got {said!r} and {started}"
        fastest = min(fastest, seconds)
    for name in ("src/a.cc", "include/new.h", "CMakeLists.txt"):
        time.sleep(0.02)  # later than the stamp by what file systems tell apart
        (clone.root / name).touch()
        said, started = clone.run("list")[1:]
        assert "building" in said and "ninja" in str(started), f"expected {name} to be built in, got {said!r} and {started}"
        assert clone.run("list")[1:] == ("", [])
    print(f"silent, at best in {1000 * fastest:.0f} ms")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        check(Clone(pathlib.Path(folder).resolve(), pathlib.Path(sys.argv[1]) / "run"))
