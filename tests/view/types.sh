#!/bin/sh
# types.sh SOURCE NODE: the page's sources have the types that they say; esbuild leaves types out without a look at them.
# NODE is the folder in which the build has installed the packages of the page; the sources are copied below it, where these are found.
source=$1 node=$2
if ! [ -x "$node/node_modules/.bin/tsc" ]; then
  echo "[  SKIPPED ] view/types: the build has no packages of the page"
  exit 0
fi
rm -rf "$node/types" && mkdir "$node/types" && cd "$node/types" && cp -r "$source/viewer/src" "$source/viewer/tsconfig.json" . &&
  exec ../node_modules/.bin/tsc --noEmit
