#!/usr/bin/env bash
# test_wheel.sh WHEEL: installs a wheel into a root file system of Debian, or of Ubuntu for Python 3.10, that holds Python and NumPy and
# nothing else, and uses it there. Programs of the other architecture run under qemu.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
wheel=$1 work=$root/build/packaging
packages=python3,python3-numpy
source "$root/packaging/systems.sh"
case $wheel in  # the oldest release with a Python that takes it
  *-cp39-*) suite=$(release_of 3.9) packages+=,python3-distutils ;;  # which pip asks for there
  *-cp310-*) suite=$(release_of 3.10) ;;
  *-cp311-*) suite=$(release_of 3.11) ;;
  *-abi3-*) suite=$(release_of 3.13) ;;
  *) echo "expected a wheel of Python 3.9, 3.10, 3.11 or the stable ABI, got $wheel" >&2 && exit 1 ;;
esac
[[ $wheel == *-manylinux_* ]] || { echo "expected a wheel with a manylinux tag, got $wheel" >&2 && exit 1; }
bytes=$(stat -c %s "$wheel")
[[ $wheel == */cuda/* ]] || ((bytes < 10000000)) || { echo "expected a wheel under 10 MB, got $bytes bytes" >&2 && exit 1; }
case $wheel in *_aarch64.whl) arch=arm64 machine=aarch64 ;; *) arch=amd64 machine=x86_64 ;; esac
system=$work/system-$suite-$arch
libraries=/usr/lib/$machine-linux-gnu/blas:/usr/lib/$machine-linux-gnu/lapack

make_system $suite $arch $packages "$system"
python=/usr/bin/$(basename "$(readlink "$system/usr/bin/python3")")

inside() {  # inside PROGRAM ARGS...: in the root file system
  if [[ $machine == "$(uname -m)" ]]; then
    LD_LIBRARY_PATH=$libraries HOME=/tmp PATH=/usr/bin:/usr/sbin chroot "$system" "$@"
  else
    qemu-"$machine" -cpu max -L "$system" -E LD_LIBRARY_PATH="$system${libraries/:/:$system}" -E PYTHONHOME="$system/usr" \
      -E HOME="$system/tmp" "$system$1" "${@:2}"
  fi
}
# Paths as programs see them there.
at=$([[ $machine == "$(uname -m)" ]] || echo "$system")

ls "$work"/pip/pip-25.*.whl >/dev/null 2>&1 ||
  "$work/tools/bin/python" -m pip download --quiet --no-deps --dest "$work/pip" "pip>=25,<26"  # the last for Python 3.9
rm -rf "$system/opt/posenc" && mkdir -p "$system/opt" && cp "$work"/pip/pip-25.*.whl "$system/opt/pip.whl"
cp "$wheel" "$system/opt/"
inside "$python" "$at/opt/pip.whl/pip" install --quiet --root-user-action=ignore --no-index --no-deps --no-compile --target "$at/opt/posenc" \
  "$at/opt/$(basename "$wheel")"

posenc() { inside /opt/posenc/bin/posenc "$@"; }
expect() {  # expect TEXT COMMAND...: it succeeds and prints TEXT
  local output
  output=$("${@:2}") || { echo "expected ${*:2} to succeed, got its exit code $?: $output" >&2; exit 1; }
  [[ $output == *"$1"* ]] || { echo "expected ${*:2} to print $1, got: $output" >&2; exit 1; }
  echo "ok: ${*:2}"
}

mkdir -p "$system/tmp"
cat >"$system/tmp/config.json" <<'CONFIG'
{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0, "max_position_embeddings": 131072}
CONFIG
cp "$root/packaging/rotate.py" "$system/tmp/rotate.py"
expect "posenc" posenc --version
expect "2^31" posenc accuracy rope --dim 64 --layout half
expect "500000" posenc explain "$at/tmp/config.json"
expect "expected a Python with posenc and matplotlib to draw it" posenc demo --out "$at/tmp/pictures"
rotated=$(inside "$python" -c "import sys; sys.path.insert(0, '$at/opt/posenc'); sys.argv[1:] = ['$at/opt/posenc']
exec(open('$at/tmp/rotate.py').read())")
expect "rotated within True" echo "$rotated"
expect "refused: " echo "$rotated"

# Where there is matplotlib, the tool asks it for pictures: in an environment of this system, whose Python the wheel is for.
[[ $machine == "$(uname -m)" && $wheel == *-cp311-* ]] || exit 0
venv=$work/pictures
[[ -f $venv/made ]] || { /usr/bin/python3.11 -m venv --clear "$venv" && "$venv/bin/pip" install --quiet matplotlib && touch "$venv/made"; }
"$venv/bin/pip" install --quiet --no-index --no-deps --force-reinstall "$wheel"
pictures=$(mktemp -d) && trap 'rm -rf "$pictures"' EXIT
"$venv/bin/posenc" show rope --layout half --kind wavelengths --out "$pictures/waves.svg"
"$venv/bin/posenc" show sinusoidal --size 321x234 --out "$pictures/map.png"
expect "</svg>" tail -n 1 "$pictures/waves.svg"
expect "PNG image data, 321 x 234" "$venv/bin/python" -c "
head = open('$pictures/map.png', 'rb').read(24)
print(head[1:4].decode(), 'image data,', int.from_bytes(head[16:20], 'big'), 'x', int.from_bytes(head[20:24], 'big'))"
expect "$pictures/demo/heatmap.png" "$venv/bin/posenc" demo --out "$pictures/demo"
