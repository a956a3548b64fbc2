#!/usr/bin/env bash
# Looks into the objects of a build: instructions of newer processors are in the tick's variant and nowhere else,
# and the variant lets the linker see its entry alone. Otherwise an old processor might meet them.
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
(cd "$work" && ar x "$core" knuckleboom_core_v3.o) || fail "the core holds no variant"
nm --defined-only "$work/knuckleboom_core_v3.o" | awk '$2 !~ /[a-tx-z]/ {print $3}' >"$work/global"
[[ "$(wc -l <"$work/global")" == 1 ]] && grep -q 'Simulation7step_v3' "$work/global" ||
  fail "the variant defines for the linker: $(tr '\n' ' ' <"$work/global")"

# Every instruction that AVX encodes has a name that begins with v; others of x86-64 are verr and verw alone.
newer() { # newer <archive or object>: members with such instructions, and their number
  objdump --disassemble --no-show-raw-insn "$1" |
    awk '/file format/ {member = $1} $2 ~ /^v/ && $2 !~ /^ver[rw]$/ {count[member]++}
         END {for (m in count) print m, count[m]}'
}
newer "$work/knuckleboom_core_v3.o" | grep -q . || fail "the variant has none of the instructions it is for"
if objdump --disassemble --no-show-raw-insn "$work/knuckleboom_core_v3.o" | grep -qE '\bvfn?m(add|sub)'; then
  fail "the variant fuses multiplication and addition"
fi
for library in "$@"; do
  if newer "$library" | grep -v '^knuckleboom_core_v3\.o'; then fail "newer instructions in $library"; fi
done
echo "newer instructions are in the variant alone"
