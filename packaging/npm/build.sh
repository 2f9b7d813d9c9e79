#!/usr/bin/env bash
# build.sh MODULE DIR: a folder as npm publishes it, from the module that CMake built for WebAssembly (posenc.js and posenc.wasm).
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")") module=$1 out=$2
version=$(sed -n 's/.*POSENC_VERSION "\(.*\)"/\1/p' "$here/../../include/posenc/posenc.h")
mkdir -p "$out"
cp "$here"/posenc.mjs "$here"/posenc.d.ts "$here"/README.md "$here"/../../LICENSE "$out"
sed "s/\"version\": \".*\"/\"version\": \"$version\"/" "$here/package.json" >"$out/package.json"
{ cat "$module/posenc.js" && echo "export default Module;"; } >"$out/module.mjs"
cp "$module/posenc.wasm" "$out"
