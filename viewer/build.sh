#!/bin/sh
# build.sh NPM OUT [WASM]: bundles the page into OUT. Packages come by the lock file. When they cannot be
# had (no network), OUT is empty and a message says so: the rest of the build goes on.
npm=$1 out=$2 wasm=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(dirname "$out")/node
log=$(dirname "$out")/page.log

say_empty() {
  echo "The page of the report and the live view was left out: $1 (log: $log)"
  : >"$out"
  cp "$here/../LICENSE" "${out%.html}.notices.txt"
  exit 0
}

mkdir -p "$work"
if ! cmp -s "$here/package-lock.json" "$work/installed-lock.json"; then
  cp "$here/package.json" "$here/package-lock.json" "$work/"
  (cd "$work" && "$npm" ci --ignore-scripts --no-audit --no-fund --prefer-offline) >"$log" 2>&1 ||
    say_empty "npm could not fetch its packages"
  cp "$here/package-lock.json" "$work/installed-lock.json"
fi
rm -rf "$work/src"
cp -r "$here/src" "$here/build.mjs" "$here/page.html" "$here/../LICENSE" "$work/"
(cd "$work" && node build.mjs "$out" "$wasm") >"$log" 2>&1 || { cat "$log"; exit 1; }
