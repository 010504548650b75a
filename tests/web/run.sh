#!/usr/bin/env bash
# run.sh PART WEB MACAW: the tests package or page of what `./dev web` wrote into the folder WEB, the package beside the native
# program. Exit code 77 where it was not built or a program is missing.
set -euo pipefail
skip() { echo "skipped: $*"; exit 77; }
[[ -e $2/npm/macaw.wasm.gz ]] || skip "$2 has no module; ./dev web builds it"
command -v node >/dev/null || skip "node is not installed"
export MACAW_WEB=$2 MACAW_WEB_NPM=$2/npm MACAW_WEB_TOOLS=$2/tools MACAW=$3
if [[ $1 == page ]]; then
  CHROMIUM=$(command -v chromium) || skip "chromium is not installed"
  export CHROMIUM
fi
node --test --test-reporter=spec "$(dirname "${BASH_SOURCE[0]}")/$1.test.mjs"
