#!/usr/bin/env bash
# test_wheel.sh ARCH WHEEL: installs a wheel into a root file system of Debian that holds Python and NumPy and nothing else,
# and uses it there. ARCH: amd64 or arm64; programs of the other architecture run under qemu.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
arch=$1 wheel=$2 work=$root/build/packaging
system=$work/system-$arch machine=$([[ $1 == arm64 ]] && echo aarch64 || echo x86_64)
# The packages are unpacked, not configured: that takes no privilege, and no program of theirs runs.
libraries=/usr/lib/$machine-linux-gnu/blas:/usr/lib/$machine-linux-gnu/lapack

if [[ ! -f $system/made ]]; then
  rm -rf "$system"
  mmdebstrap --quiet --variant=extract --architectures="$arch" --include=python3,python3-numpy \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr bookworm "$system" http://deb.debian.org/debian
  touch "$system/made"
fi

inside() {  # inside PROGRAM ARGS...: in the root file system
  if [[ $machine == "$(uname -m)" ]]; then
    LD_LIBRARY_PATH=$libraries HOME=/tmp chroot "$system" "$@"
  else
    qemu-"$machine" -cpu max -L "$system" -E LD_LIBRARY_PATH="$system${libraries/:/:$system}" -E PYTHONHOME="$system/usr" \
      -E HOME="$system/tmp" "$system$1" "${@:2}"
  fi
}
# Paths as programs see them there.
at=$([[ $machine == "$(uname -m)" ]] || echo "$system")

"$work/tools/bin/python" -m pip download --quiet --no-deps --dest "$work/pip" pip
rm -rf "$system/opt/posenc" && mkdir -p "$system/opt" && cp "$work"/pip/pip-*.whl "$system/opt/pip.whl"
cp "$wheel" "$system/opt/"
inside /usr/bin/python3.11 "$at/opt/pip.whl/pip" install --quiet --root-user-action=ignore --no-index --no-deps --no-compile --target "$at/opt/posenc" \
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
cat >"$system/tmp/rotate.py" <<'PROGRAM'
import numpy as np, posenc
assert posenc.__file__.startswith(__file__.replace("/tmp/rotate.py", "/opt/posenc/")), posenc.__file__
x = np.random.default_rng(0).standard_normal((2, 5, 3, 8))
angle = np.arange(5)[:, None] * 10000.0 ** -(np.arange(4) / 4)
c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
a, b = x[..., :4], x[..., 4:]
expected = np.concatenate([a * c - b * s, b * c + a * s], -1)
posenc.Rope(dim=8, layout="half").rotate_(x)
print("rotated within", np.abs(x - expected).max() < 1e-14)
PROGRAM
expect "posenc" posenc --version
expect "2^31" posenc accuracy rope --dim 64 --layout half
expect "500000" posenc explain "$at/tmp/config.json"
expect "posenc" posenc demo --out "$at/tmp/pictures"
expect "rotated within True" inside /usr/bin/python3.11 -c "import sys; sys.path.insert(0, '$at/opt/posenc')
exec(compile(open('$at/tmp/rotate.py').read(), '$at/tmp/rotate.py', 'exec'), {'__file__': '$at/tmp/rotate.py'})"
