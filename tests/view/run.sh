#!/bin/sh
# run.sh HOLDFAST SOURCE WORK PROGRAM: tests of the page in headless Chromium, those of PROGRAM; skipped, and counted so, where
# something is missing.
export HOLDFAST=$1 HF_SOURCE_DIR=$2
work=$3 program=$4
skip() { echo "[  SKIPPED ] view: $1"; exit 0; }

command -v node >/dev/null || skip "no node"
CHROMIUM=$(command -v chromium || command -v chromium-browser) || skip "no chromium"
export CHROMIUM
"$HOLDFAST" view --help >/dev/null 2>&1 || skip "no live view"
mkdir -p "$work"
cp "$2"/tests/view/*.mjs "$2"/tests/view/package.json "$2"/tests/view/package-lock.json "$work"
cd "$work" || exit 1
if ! cmp -s package-lock.json installed-lock.json; then
  npm ci --ignore-scripts --no-audit --no-fund --prefer-offline >npm.log 2>&1 || skip "npm could not fetch playwright-core"
  cp package-lock.json installed-lock.json
fi
exec node "$program"
