#!/usr/bin/env bash
# build.sh: the page as a folder that any web host, or a browser alone, can open.
#
#   build.sh BUILD OUT     BUILD: where CMake put tool.js and tool.wasm; OUT: the folder to write
#
# Pages opened from a file may load neither modules nor WebAssembly files. So the modules become one script, and the
# WebAssembly is packed into another: gzip, then base64, which costs nothing once a host compresses what it sends.
# data/mistakes.json, where there is one, is what the view of mistakes tells about trained models.
set -euo pipefail
web=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")") build=$1 out=$2
mkdir -p "$out"
{
  [[ ! -f $web/data/mistakes.json ]] || { printf 'self.posenc_mistakes = ' && cat "$web/data/mistakes.json" && printf ';\n'; }
  python3 "$web/bundle.py" "$web/app.js"
} >"$out/app.js"
{
  cat "$build/tool.js"
  printf '\nself.posenc_module = posenc_module;\nself.posenc_wasm = "'
  gzip -9 -n -c "$build/tool.wasm" | base64 -w 0
  printf '";\n'
} >"$out/tool.js"
cp "$web/index.html" "$web/style.css" "$out"
