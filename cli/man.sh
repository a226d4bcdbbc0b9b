#!/bin/sh
# man.sh HOLDFAST VERSION DIR: writes the manual pages holdfast.1 and holdfast-VERB.1 into DIR, out of what --help says.
# The verbs and what each does are those that "holdfast --help" lists; study is a part of the Python package and has no page.
set -eu
holdfast=$1 version=$2 dir=$3

# page NAME ABOUT COMMAND: help2man calls COMMAND --help and names the page by its first word; that becomes NAME. The line
# about models names the folder of this build, which is not where they are once installed.
page() {
  title=$(printf %s "$1" | tr '[:lower:]' '[:upper:]')
  help2man --no-info --no-discard-stderr --version-string="$version" --source="Holdfast $version" --manual=Holdfast \
    --name="$2" "$3" |
    sed -e "s/^\.TH HOLDFAST /.TH $title /" -e "/^\.SH NAME/{n;s/^.* .- /$1 \\\\- /;}" -e '/^Models and examples that/d' >"$dir/$1.1"
}

mkdir -p "$dir"
page holdfast "simulate robots that grip" "$holdfast"
"$holdfast" --help | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r verb about; do
  [ "$verb" = study ] || page "holdfast-$verb" "$about" "$holdfast $verb"
done
