#!/bin/sh
# Builds and runs a consumer against an installed tree, as a user of the package would.
#
#   consume.sh install BUILD PREFIX    install the build tree BUILD into PREFIX
#   consume.sh cmake PREFIX WORK       find_package, shared and static
#   consume.sh version PREFIX WORK     find_package refuses another minor version; so does the soname
#   consume.sh mismatch PREFIX WORK    a program with headers of another version is refused with a message
#   consume.sh headers PREFIX WORK     every header stands alone in C and C++ and names only installed files
#   consume.sh shared|static PREFIX WORK   pkg-config
#   consume.sh readme PREFIX WORK      the example of README.md
#   consume.sh command PREFIX WORK     the command finds the models and examples that were installed with it; manual pages
#   consume.sh debian BUILD WORK       the Debian package: installed into an empty root, used, and removed without a trace
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mode=$1 prefix=$2 work=$3

# Prints what the consumer says; fails unless its ball fell along a parabola: z = 1 - g t^2/2, t = 0.1 s.
run() {
  said=$("$@")
  echo "$said"
  case $said in *": mass 0.25, fell to 0.95095") ;; *) echo "unexpected answer" >&2; exit 1 ;; esac
}

# Succeeds if the program loads libholdfast.so at run time.
loads_shared() { readelf -d "$1" | grep -q 'NEEDED.*libholdfast\.so'; }

pkg() { PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name holdfast.pc)") pkg-config "$@" holdfast; }

case $mode in
install)
  cmake --install "$2" --prefix "$3" >"$3.log" || { cat "$3.log"; exit 1; }
  for part in "$3"/*; do # what a prefix like /usr/local has; the files of a wheel have no place there
    case ${part##*/} in bin | include | lib* | share) ;; *) echo "unexpected: $part" >&2; exit 1 ;; esac
  done ;;
cmake)
  cmake -S "$here/consumer" -B "$work" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work.log"
  cmake --build "$work"
  run "$work/consumer_holdfast"
  run "$work/consumer_static"
  loads_shared "$work/consumer_holdfast"
  ! loads_shared "$work/consumer_static" ;;
version)
  mkdir -p "$work"
  for other in 0.0 0.2 1.0; do
    sed "s/holdfast 0\.1/holdfast $other/" "$here/consumer/CMakeLists.txt" >"$work/CMakeLists.txt"
    if cmake -S "$work" -B "$work/build$other" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work.log" 2>&1; then exit 1; fi
    grep -q "compatible with requested version \"$other\"" "$work.log"
  done
  readelf -d "$(pkg --variable=libdir)/libholdfast.so" | grep -q 'SONAME.*\[libholdfast\.so\.0\.1\]' ;;
mismatch)
  cp -r "$(pkg --variable=includedir)" "$work.include"
  sed -i 's/\(HF_VERSION_MINOR\) .*/\1 99/' "$work.include/holdfast/version.h"
  # shellcheck disable=SC2046
  cc -I"$work.include" "$here/consumer/consumer.c" $(pkg --libs) -o "$work"
  if LD_LIBRARY_PATH=$(pkg --variable=libdir) "$work" 2>"$work.log"; then exit 1; fi
  grep -q 'compiled with headers of version 0\.99\.0, the library has version 0\.1' "$work.log" ;;
headers)
  mkdir -p "$work"
  include=$(pkg --variable=includedir)
  for header in "$include"/holdfast/*.h; do
    echo "#include <holdfast/$(basename "$header")>" >"$work/alone.c"
    cp "$work/alone.c" "$work/alone.cpp"
    for flag in "" -DHF_INLINE_ACCESSORS; do
      cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $flag -I"$include" "$work/alone.c"
      c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $flag -I"$include" "$work/alone.cpp"
    done
  done
  # words of comments that are paths of files
  grep -hv '#include' "$include"/holdfast/*.h | grep -oE '[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\.(h|c|md)\b' | sort -u >"$work/cited"
  while read -r cited; do
    [ -e "$include/holdfast/$cited" ] || [ -e "$prefix/share/doc/holdfast/$cited" ] || { echo "$cited is not installed" >&2; exit 1; }
  done <"$work/cited"
  grep -q docs/theory/lcp.md "$work/cited" ;; # the search finds what there is
shared)
  # shellcheck disable=SC2046
  cc "$here/consumer/consumer.c" $(pkg --cflags --libs) -o "$work"
  LD_LIBRARY_PATH=$(pkg --variable=libdir) run "$work"
  loads_shared "$work"
  ! pkg --libs | grep -q expat ;; # its own needs are not the consumer's
command)
  mkdir -p "$work"
  cd "$work"
  "$prefix/bin/holdfast" --help | grep -q "$prefix/share/holdfast"
  "$prefix/bin/holdfast" run models/gripper_mug.xml --time 0.01 | grep -q "$prefix/share/holdfast/models/gripper_mug.xml"
  "$prefix/bin/holdfast" check examples/ros/table.xml >/dev/null
  # every verb but that of the Python package has its manual page, and none names a folder of the build
  "$prefix/bin/holdfast" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vx study >verbs
  [ "$(wc -l <verbs)" -ge 10 ]
  while read -r verb; do grep -q "^holdfast-$verb .- " "$prefix/share/man/man1/holdfast-$verb.1"; done <verbs
  ! grep -r "$(dirname "$(dirname "$here")")" "$prefix/share/man" ;;
readme)
  mkdir -p "$work"
  cd "$work"
  awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$here/../../README.md" >example.c
  echo "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>" >scene.xml
  # shellcheck disable=SC2046
  cc -Wall -Werror example.c $(pkg --cflags --libs) -o example
  LD_LIBRARY_PATH=$(pkg --variable=libdir) ./example | grep -x '5.* s, 0 contacts' ;;
debian)
  mkdir -p "$work/root/var/lib/dpkg/info" "$work/root/var/lib/dpkg/updates"
  touch "$work/root/var/lib/dpkg/status"
  cpack -G DEB --config "$2/CPackConfig.cmake" -B "$work" >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; exit 1; }
  dpkg-deb -f "$work"/*.deb Depends | grep -q libexpat1
  # the root has no other packages, not even a shell for scripts, so that dpkg is told not to look for them
  in_root() { fakeroot -- dpkg --instdir="$work/root" --admindir="$work/root/var/lib/dpkg" --log=/dev/null --force-depends --force-not-root --force-script-chrootless "$@" >>"$work/dpkg.log" 2>&1; }
  in_root -i "$work"/*.deb || { cat "$work/dpkg.log"; exit 1; }
  "$work/root/usr/bin/holdfast" --version
  "$work/root/usr/bin/holdfast" run "$here/../../models/pinch.xml" --time 0.1 >/dev/null
  in_root --purge holdfast
  left=$(find "$work/root" -type f -not -path '*/var/lib/dpkg/*')
  [ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; } ;;
static)
  # shellcheck disable=SC2046
  cc "$here/consumer/consumer.c" $(pkg --cflags --static --libs | sed 's/-lholdfast/-l:libholdfast.a/') -o "$work"
  run "$work"
  ! loads_shared "$work" ;;
esac
