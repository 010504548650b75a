#!/usr/bin/env bash
# prepare.sh FOLDER: what the preset wasm needs, in FOLDER: tools/ (npm packages), root/sysroot (C and C++ library of
# WebAssembly), root/sources (Debian's sources of the libraries) and root/libraries (built of them). What is there is kept.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
root=$out/root

# Debian's source packages by release: inih's of Debian 12 is not on the mirrors any more.
bookworm=(zlib libzip pugixml systemc fmtlib highway yaml-cpp flatbuffers)
trixie=(libinih)

# sources RELEASE PACKAGE...: unpacks source packages, checked by the signature of their list.
sources() {
  local release=$1 apt=$out/apt/$1 package
  shift
  mkdir -p "$apt"/{parts,lists/partial,cache/archives/partial} "$root/sources"
  printf 'Types: deb-src\nURIs: http://deb.debian.org/debian\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
    "$release" >"$apt/parts/debian.sources"
  local options=(-qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/parts" -o Dir::State::Lists="$apt/lists"
                 -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update
  for package in "$@"; do
    rm -rf "$apt/unpack"
    mkdir -p "$apt/unpack"
    (cd "$apt/unpack" && apt-get "${options[@]}" source --download-only "$package" && dpkg-source --no-check -x ./*.dsc tree >/dev/null)
    rm -rf "$root/sources/$package"
    mv "$apt/unpack/tree" "$root/sources/$package"
  done
}

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
missing=0
for package in "${bookworm[@]}" "${trixie[@]}"; do [[ -d $root/sources/$package ]] || missing=1; done
if [[ $missing == 1 ]]; then
  echo "== sources of the libraries: ${bookworm[*]} ${trixie[*]}"
  sources bookworm "${bookworm[@]}"
  sources trixie "${trixie[@]}"
fi

echo "== libraries"
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S "$here/libraries" -B "$out/libraries" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$here/../toolchains/wasm.cmake" \
  -DMACAW_WASM_ROOT="$root" -DCMAKE_INSTALL_PREFIX="$root/libraries" "${launcher[@]}" >"$out/libraries.log" 2>&1 || { cat "$out/libraries.log" >&2; exit 1; }
cmake --build "$out/libraries" -j "${MACAW_JOBS:-$(nproc)}"
cmake --install "$out/libraries" >/dev/null
