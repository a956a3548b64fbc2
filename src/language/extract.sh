#!/bin/sh
# extract.sh ROOT PROGRAM OUTPUT.pot: all texts of the window, from the sources below ROOT by xgettext and from
# config/ by the program.
set -eu
root=$1 program=$2 output=$3
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$root"
find src -name '*.cpp' -o -name '*.hpp' | LC_ALL=C sort |
  xgettext --files-from=- --language=C++ --from-code=UTF-8 --omit-header --no-location \
    --keyword --keyword=tr --keyword=msgid --keyword=tr_format --keyword=tr_in:1c,2 \
    --keyword=tr_count:2,3 --flag=tr:1:no-c-format --flag=tr_format:1:no-c-format \
    --flag=tr_in:2:no-c-format --flag=tr_count:2:no-c-format --flag=tr_count:3:no-c-format \
    --flag=msgid:1:no-c-format --output="$work/sources.pot"
"$program" content-texts >"$work/content.pot"
msgcat --use-first --sort-output --no-location "$work/content.pot" "$work/sources.pot" --output-file="$output"
