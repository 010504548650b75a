#!/usr/bin/env bash
# try_wheel.sh FOLDER WHEEL RELEASE...: installs a wheel in bare chroots of Debian's and Ubuntu's releases (FOLDER/RELEASE, made by
# debootstrap and kept), each with its own python3 and numpy, and runs README's Python calls, `macaw sim` and `macaw golden check` of
# traces/, installed and unpacked. Prints a line of docs/PACKAGES.md's table for each. As root; exits with 1 if one failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
folder=$1 wheel=$2
shift 2

# bootstrap RELEASE FOLDER
bootstrap() {
  local packages=python3,python3-numpy,python3-pip mirror=http://deb.debian.org/debian script=() components=main
  if [[ ! -e /usr/share/debootstrap/scripts/$1 || $(readlink -f "/usr/share/debootstrap/scripts/$1") == */gutsy ]]; then
    # Debian's debootstrap lacks the newer releases of Ubuntu, and Debian lacks its keys.
    mirror=http://archive.ubuntu.com/ubuntu script=(/usr/share/debootstrap/scripts/gutsy) components=main,universe
    set -- "$1" "$2" --no-check-gpg
  fi
  debootstrap "${@:3}" --variant=minbase --components="$components" --include="$packages" "$1" "$2.part" "$mirror" "${script[@]}" >"$2.log" 2>&1
  mv "$2.part" "$2"
}

# try NAME COMMAND: in the chroot of the release; failures go to its log.
try() {
  local status=0
  unshare --mount --pid --fork chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 \
    PIP_BREAK_SYSTEM_PACKAGES=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore bash -euc "mount -t proc proc /proc; cd /root/try; $2" \
    >>"$root.try.log" 2>&1 </dev/null || status=$?
  if [[ $status == 0 ]]; then cells+=" yes |"; else cells+=" no ($status) |"; failed=1; fi
}

failed=0
mkdir -p "$folder"
for release in "$@"; do
  root=$folder/$release
  [[ -d $root ]] || bootstrap "$release" "$root"
  rm -rf "$root/root/try" "$root.try.log"
  mkdir -p "$root/root/try"
  cp -r traces "$wheel" "$root/root/try/"
  python=/usr/bin/python3
  cells=""
  try install "$python -m pip install --no-index --no-deps --force-reinstall ./*.whl"
  try modules "$python - <<'PY'
import macaw, numpy
x = numpy.load('traces/tiny_cnn/input_0.npy')
y = numpy.load('traces/tiny_cnn/ethos-u55-128/output_0.npy').ravel()
network = 'traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz'
assert (macaw.tosa.run('traces/tiny_cnn/tiny_cnn.tosa', [x]).outputs[0].ravel() == y).all()
r = macaw.sim.run(network, [x])
assert (r.outputs[0].ravel() == y).all() and r.report['cycles'] > 0
assert (macaw.sim.load(network).run(x, threads=2)[0].ravel() == y).all()
assert macaw.compare('traces/tiny_cnn/tiny_cnn.tosa', network, [x]).equal
PY"
  try sim "macaw sim traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz --input traces/tiny_cnn/input_0.npy --json"
  try golden "macaw golden check traces -j 2"
  # As ci/golden does it.
  try unpacked "$python -m zipfile -e ./*.whl wheel; chmod +x wheel/macaw/bin/macaw; wheel/macaw/bin/macaw golden check traces -j 2"
  glibc=$(chroot "$root" ldd --version | sed -n '1s/.* //p')
  version=$(chroot "$root" "$python" -c 'import platform; print(platform.python_version())')
  numpy=$(chroot "$root" "$python" -c 'import numpy; print(numpy.__version__)' 2>/dev/null || echo none)
  name=$(. "$root/etc/os-release"; echo "$NAME ${VERSION_ID:-}")
  echo "| $name ($release) | $glibc | $version | $numpy |$cells"
done
exit $failed
