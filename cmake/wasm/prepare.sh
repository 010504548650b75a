#!/usr/bin/env bash
# prepare.sh FOLDER: what the preset wasm needs, in FOLDER: tools/ (npm packages), root/sysroot (C and C++ library of
# WebAssembly), root/sources (Debian's sources of the libraries) and root/libraries (built of them). What is there is kept.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
root=$out/root

source "$here/../libraries/prepare.sh"

if ! cmp -s "$here/tools/package.json" "$out/tools/package.json"; then
  echo "== npm packages"
  mkdir -p "$out/tools"
  cp "$here/tools/package.json" "$out/tools/wanted.json"
  (cd "$out/tools" && cp wanted.json package.json && npm install --silent --no-audit --no-fund --ignore-scripts --no-package-lock) ||
    { rm -f "$out/tools/package.json"; exit 3; }
  rm -rf "$root/sysroot"
fi
if [[ ! -d $root/sysroot ]]; then
  mkdir -p "$root/sysroot.part"
  tar -xf "$out/tools/node_modules/@yowasp/clang/gen/llvm-resources.tar" -C "$root/sysroot.part"
  mv "$root/sysroot.part" "$root/sysroot"
fi
fetch_sources "$root/sources" "$out/apt"
build_libraries "$root" "$out/libraries" "$here/../toolchains/wasm.cmake" -DMACAW_WASM_ROOT="$root"
