#!/bin/sh
# What a step needs compiles for a graphics processor, with the same roundings: every file of math, linalg, model and step, and what a step needs of
# base, is compiled to PTX, and no product is fused with a sum there. Without clang for NVPTX it ends with 77: skipped.
#
#   ptx.sh SOURCES BUILD
set -eu
sources=$1 build=$2
clang=$(command -v clang-14 || command -v clang || true)
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$sources"

# Clang has no C library for the target: the headers of this machine stand in for it.
headers=/usr/include/$(cc -print-multiarch 2>/dev/null || true)
flags="--target=nvptx64-nvidia-cuda -D__x86_64__ -isystem $headers -w -std=c17 -O1 -fno-math-errno -fno-trapping-math -DNDEBUG -DHF_LIBRARY
  -DHF_INLINE_ACCESSORS -D_DEFAULT_SOURCE -Isrc -Iinclude -I$build/include -S"
echo 'double f(double a, double b, double c) { return a * b + c; }' >"$folder/example.c"
test "$(uname -m)" = x86_64 && test -n "$clang" && "$clang" $flags -ffp-contract=fast -o "$folder/example.ptx" "$folder/example.c" 2>/dev/null || {
  echo "skipped: needs x86-64 and clang with the target nvptx64"
  exit 77
}

# what the search for fused products has to find
grep -q '[^a-z]fma[^a-z]' "$folder/example.ptx" || { echo "the example should have a fused product"; exit 1; }
rm "$folder/example.ptx"

# The kernels for AVX are of x86-64, and texts of refusals are made after a step.
files=$(ls src/math/*.c src/linalg/*.c src/model/*.c src/step/*/*.c src/base/finite.c src/base/sort.c src/base/shares.c | grep -v '_avx\.c$\|/explain\.c$')
for file in $files; do echo "$file -o $folder/$(echo "$file" | tr / _).ptx"; done | xargs -P "$(nproc)" -L 1 "$clang" $flags -ffp-contract=off

count=$(echo "$files" | wc -l)
test "$(ls "$folder"/*.ptx | wc -l)" = "$count"
if grep -l '[^a-z]fma[^a-z]' "$folder"/*.ptx; then
  echo "these files have fused products"
  exit 1
fi
echo "$count files compile to PTX without a fused product"
