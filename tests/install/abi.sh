#!/bin/sh
# Compares the binary interface of a build with that of the last release with which programs may exchange it.
#
#   abi.sh BUILD WORK    BUILD: a build tree with debug information; WORK: a folder for the release's build
#
# Releases are tags vMAJOR.MINOR.PATCH. While the major version is 0 those of the same minor version count, later those of the
# same major version. Functions may be added. Fails, and prints the report of abidiff, where something that a program uses
# was removed or changed: then the minor version (from 1.0 on the major version) has to change. Without such a release the
# build is compared with itself, which shows that abidiff can read it.
set -eu
build=$1 work=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n 's/^project(holdfast VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
case $version in
0.*) family=$(echo "$version" | cut -d. -f1-2) ;;
*) family=$(echo "$version" | cut -d. -f1) ;;
esac
release=$(git -C "$source" tag --list "v$family.*" --sort=-v:refname | head -n 1)
if [ -z "$release" ]; then
  echo "No release of interface $family yet; the build is compared with itself."
  base=$build headers=$source/include
else
  echo "Compared with $release"
  rm -rf "$work"
  mkdir -p "$work/source"
  git -C "$source" archive "$release" | tar -x -C "$work/source"
  cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHF_BUILD_TESTS=OFF \
    -DHF_BUILD_BENCH=OFF -DHF_BUILD_CLI=OFF >"$work/log"
  cmake --build "$work/build" --target holdfast >>"$work/log"
  base=$work/build headers=$work/source/include
fi
abidiff --no-added-syms --drop-private-types --headers-dir1 "$headers" --headers-dir2 "$source/include" \
  "$base/libholdfast.so" "$build/libholdfast.so"
