#!/usr/bin/env bash
# Looks into the objects of a build: instructions of newer processors are in the variants of the tick, for one machine
# and for lanes of several, and nowhere else; and each variant lets the linker see its entry alone. Otherwise an old
# processor might meet them.
#
# usage: instructions_test.sh LIBRARY...
# LIBRARY: libknuckleboom_core.a first, then other archives that must be free of them.
set -euo pipefail

fail() {
  printf '%s\n' "instructions_test: $*" >&2
  exit 1
}

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
core="$1"

# Every instruction that AVX encodes has a name that begins with v; others of x86-64 are verr and verw alone.
newer() { # newer <archive or object>: members with such instructions, and their number
  objdump --disassemble --no-show-raw-insn "$1" |
    awk '/file format/ {member = $1} $2 ~ /^v/ && $2 !~ /^ver[rw]$/ {count[member]++}
         END {for (m in count) print m, count[m]}'
}
for variant in 'v3 Simulation7step_v3' 'lanes4 step_lanes_4' 'lanes8 step_lanes_8'; do
  read -r name entry <<<"$variant"
  object="knuckleboom_core_$name.o"
  (cd "$work" && ar x "$core" "$object") || fail "the core holds no variant $name"
  nm --defined-only "$work/$object" | awk '$2 !~ /[a-tx-z]/ {print $3}' >"$work/global"
  [[ "$(wc -l <"$work/global")" == 1 ]] && grep -q "$entry" "$work/global" ||
    fail "variant $name defines for the linker: $(tr '\n' ' ' <"$work/global")"
  newer "$work/$object" | grep -q . || fail "variant $name has none of the instructions it is for"
  if objdump --disassemble --no-show-raw-insn "$work/$object" | grep -qE '\bvfn?m(add|sub)'; then
    fail "variant $name fuses multiplication and addition"
  fi
done
for library in "$@"; do
  if newer "$library" | grep -vE '^knuckleboom_core_(v3|lanes4|lanes8)\.o'; then
    fail "newer instructions in $library"
  fi
done
echo "newer instructions are in the variants alone"
