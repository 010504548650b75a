# Functions for the scripts that make Macaw's static libraries: sourced by cmake/wasm/prepare.sh and cmake/wheel/prepare.sh.

# Debian's source packages by release: inih's of Debian 12 is not on the mirrors any more.
bookworm=(zlib libzip pugixml systemc fmtlib highway yaml-cpp flatbuffers)
trixie=(libinih)
# Those that are built by their own CMakeLists.txt.
own_builds=()
# Options of apt-get for packages of another architecture than the machine's.
apt_architecture=()

# use_release FOLDER RELEASE [security]: options for apt-get, in apt_options, with lists of their own in FOLDER, checked by their
# signature. Sources come without the security archive, where those of older updates are missing.
use_release() {
  local apt=$1/$2 release=$2
  mkdir -p "$apt"/{parts,lists/partial,cache/archives/partial}
  {
    printf 'Types: deb deb-src\nURIs: http://deb.debian.org/debian\nSuites: %s\n' "$release"
    printf 'Components: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n'
    if [[ ${3:-} == security ]]; then
      printf 'Types: deb\nURIs: http://deb.debian.org/debian-security\nSuites: %s-security\n' "$release"
      printf 'Components: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n'
    fi
  } >"$apt/parts/debian.sources"
  apt_options=(-qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/parts" -o Dir::State::Lists="$apt/lists"
               -o Dir::State::Status=/dev/null -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root)
  apt_options+=("${apt_architecture[@]}")
  apt-get "${apt_options[@]}" update
}

# fetch_sources FOLDER APT_FOLDER: unpacks the sources of the libraries in FOLDER, unless they are all there, with a file
# VERSIONS of "package version" lines.
fetch_sources() {
  local folder=$1 release package missing=0
  for package in "${bookworm[@]}" "${trixie[@]}"; do grep -qs "^$package " "$folder/VERSIONS" || missing=1; done
  [[ $missing == 1 ]] || return 0
  echo "== sources of the libraries: ${bookworm[*]} ${trixie[*]}"
  mkdir -p "$folder"
  : >"$folder/versions.part"
  for release in bookworm trixie; do
    use_release "$2" "$release"
    local -n packages_of_release=$release
    for package in "${packages_of_release[@]}"; do
      rm -rf "$2/unpack" "${folder:?}/$package"
      mkdir -p "$2/unpack"
      (cd "$2/unpack" && apt-get "${apt_options[@]}" source --download-only "$package" && dpkg-source --no-check -x ./*.dsc tree >/dev/null)
      echo "$package $(sed -n 's/^Version: //p' "$2"/unpack/*.dsc | head -n 1)" >>"$folder/versions.part"
      mv "$2/unpack/tree" "$folder/$package"
    done
  done
  mv "$folder/versions.part" "$folder/VERSIONS"
}

# build_libraries ROOT BUILD TOOLCHAIN [OPTION...]: of ROOT/sources, installed in ROOT/libraries. BUILD/SOURCE is the build of
# this folder's CMakeLists.txt, and of each package in `own_builds` by its own.
build_libraries() {
  local root=$1 build=$2 toolchain=$3 launcher=() source name
  shift 3
  echo "== libraries"
  command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  mkdir -p "$build"
  for source in "$(dirname "${BASH_SOURCE[0]}")" "${own_builds[@]/#/$root/sources/}"; do
    name=$(basename "$source")
    cmake -S "$source" -B "$build/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
      -DCMAKE_INSTALL_PREFIX="$root/libraries" "$@" "${launcher[@]}" >"$build/$name.log" 2>&1 || { cat "$build/$name.log" >&2; return 1; }
    # SystemC states the time of its build.
    SOURCE_DATE_EPOCH=0 cmake --build "$build/$name" -j "${MACAW_JOBS:-$(nproc)}"
    cmake --install "$build/$name" >/dev/null
  done
}
