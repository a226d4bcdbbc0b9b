#!/bin/sh
# run.sh HOLDFAST SOURCE WORK PROGRAM [GROUP]: tests of the page in headless Chromium, those of PROGRAM; skipped, and counted so,
# where something is missing. Several may run at the same time in one folder WORK.
export HOLDFAST=$1 HF_SOURCE_DIR=$2
work=$3
shift 3
skip() { echo "[  SKIPPED ] view: $1"; exit 0; }

command -v node >/dev/null || skip "no node"
CHROMIUM=$(command -v chromium || command -v chromium-browser) || skip "no chromium"
export CHROMIUM
"$HOLDFAST" view --help >/dev/null 2>&1 || skip "no live view"
mkdir -p "$work"
cd "$work" || exit 1
(
  flock 9
  cp -u "$HF_SOURCE_DIR"/tests/view/*.mjs "$HF_SOURCE_DIR"/tests/view/package.json "$HF_SOURCE_DIR"/tests/view/package-lock.json .
  cmp -s package-lock.json installed-lock.json && exit 0
  npm ci --ignore-scripts --no-audit --no-fund --prefer-offline >npm.log 2>&1 && cp package-lock.json installed-lock.json
) 9>lock || skip "npm could not fetch playwright-core"
exec node "$@"
