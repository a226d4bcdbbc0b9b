#!/bin/sh
# The same bits with another C library: builds the core with musl, statically, runs the fixed runs of scenes/bits.h, and compares the hashes of
# their last states with those of this build. Models are read from blocks, so that no reader is needed. Without musl-gcc it ends with 77: skipped.
#
#   musl.sh SOURCES BUILD COMMAND RUNS, where RUNS is musl_runs.c of this build
set -eu
sources=$1 build=$2 command=$3 runs=$4
command -v musl-gcc >/dev/null && test -x "$command" || {
  echo "skipped: needs musl-gcc (Debian musl-tools) and the command"
  exit 77
}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# blocks of the models, in the order of the runs
cd "$sources"
sed -n 's/^    {"\([^"]*\.xml\)".*/\1/p' tests/scenes/bits.h >"$folder/scenes"
i=0
while read -r scene; do
  "$command" convert "$scene" "$folder/$i.hfm" 2>/dev/null
  i=$((i + 1))
done <"$folder/scenes"

# the core and the runs with musl
mkdir "$folder/musl"
find src -name '*.c' ! -path 'src/io/*' | while read -r file; do
  extra=
  case $(uname -m)/$file in x86_64/*_avx.c) extra=-mavx ;; x86_64/*/cpu.c) extra=-mxsave ;; esac
  echo "$extra $file -o $folder/musl/$(echo "$file" | tr / _).o"
done | xargs -P "$(nproc)" -L 1 musl-gcc -w -std=c17 -O1 -ffp-contract=off -fno-math-errno -fno-trapping-math -DNDEBUG -DHF_LIBRARY \
  -DHF_INLINE_ACCESSORS -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -Isrc -Iinclude -I"$build/include" -c
musl-gcc -w -std=c17 -O1 -static -Isrc -Iinclude -Itests -I"$build/include" tests/library/musl_runs.c "$folder"/musl/*.o -lm -pthread -o "$folder/runs"

"$folder/runs" "$folder" >"$folder/musl.txt"
"$runs" "$folder" >"$folder/system.txt"
test "$(wc -l <"$folder/musl.txt")" = "$i"
if ! diff "$folder/system.txt" "$folder/musl.txt"; then
  echo "the bits differ between the system's C library (<) and musl (>)"
  exit 1
fi
echo "$i runs have the same bits with musl and the system's C library"
