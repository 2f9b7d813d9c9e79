#!/usr/bin/env bash
# test_sdist.sh: makes the source distribution, builds a wheel of it apart from this tree, as pip does, and uses that wheel.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
work=$root/build/packaging venv=$work/sdist-venv
export PIP_DISABLE_PIP_VERSION_CHECK=1 CXX=${CXX:-c++}

mkdir -p "$work"
[[ -f $venv/made ]] ||
  { python3 -m venv --clear "$venv" && "$venv/bin/pip" install --quiet scikit-build-core nanobind numpy && touch "$venv/made"; }
rm -rf "$work/sdist" && mkdir "$work/sdist"
(cd "$root" && "$venv/bin/python" -c "import scikit_build_core.build as build; build.build_sdist('$work/sdist')" >/dev/null)
tar xf "$work"/sdist/posenc-*.tar.gz -C "$work/sdist" && rm "$work"/sdist/posenc-*.tar.gz
unpacked=$(echo "$work"/sdist/posenc-*)
# ccache knows the library from builds of other clones, which lie as deep.
export CCACHE_BASEDIR=$unpacked CCACHE_IGNOREOPTIONS="-Werror -Wall -Wextra -fmacro-prefix-map=*"
(cd "$unpacked" && "$venv/bin/pip" wheel --quiet --no-build-isolation --no-deps --config-settings=build-dir=build/wheel -w "$work/sdist" .)
"$venv/bin/pip" install --quiet --no-deps --no-index --force-reinstall "$work"/sdist/posenc-*.whl
said=$(cd / && "$venv/bin/python" "$root/packaging/rotate.py" "$venv")
[[ $said == "rotated within True"*"refused: "* ]] || { echo "expected a rotation by the wheel of the source distribution, got: $said" >&2; exit 1; }
echo "ok: $(basename "$work"/sdist/posenc-*.whl) of the source distribution"
