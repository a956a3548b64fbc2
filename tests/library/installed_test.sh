#!/usr/bin/env bash
# Installs the engine's parts of a build into a prefix of its own and uses them as strangers do: C++ by
# find_package, C by pkg-config and by find_package, the core alone, the tutorial's program. Nothing of what
# only the trainer needs may be asked for, and the bits are those of `knuckleboom run`. At last the program, installed
# as well: it finds the one that reads sessions, and says so where that is missing.
#
# usage: installed_test.sh SOURCE BUILD WORK KNUCKLEBOOM
# KNUCKLEBOOM: the program to compare with.
set -euo pipefail
source="$1" build="$2" work="$3" program="$4"
here="$source/tests/library"
prefix="$work/prefix"
rm -rf "$work"
mkdir -p "$work"
export CCACHE_DISABLE=1 CMAKE_GENERATOR=Ninja
unset KNUCKLEBOOM_CONFIG

fail() {
  printf '%s\n' "installed_test: $*" >&2
  exit 1
}
# same <what> <hash> <scenario>
same() {
  local expected
  "$program" run "$3" --summary "$work/summary.json" >/dev/null
  expected="$(sed -n 's/.*"state_hash": *"\([0-9a-f]*\)".*/\1/p' "$work/summary.json")"
  [[ -n "$expected" ]] || fail "run gave no hash for $3"
  [[ "$2" == "$expected" ]] || fail "$1 gives $2 for $3, run gives $expected"
  echo "$1: $3 $2, as run"
}

cmake --install "$build" --component engine --prefix "$prefix" >"$work/install.log"
library="$(find "$prefix" -name libknuckleboom.so)"
[[ -n "$library" ]] || fail "libknuckleboom.so is not installed"
libraries="$(dirname "$library")"
for file in include/knuckleboom.h include/knuckleboom/version.hpp include/knuckleboom/core/sim/simulation.hpp \
  include/knuckleboom/io/load_case.hpp share/man/man3/knuckleboom.3 \
  share/knuckleboom/config/machines/harvester/machine.toml; do
  [[ -f "$prefix/$file" ]] || fail "$file is not installed"
done

# --- What the library shows and needs -------------------------------------------------------------------------

nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | sort >"$work/exported"
if grep -v '^kb_[a-z_]*$' "$work/exported"; then fail "the library exports more than kb_*"; fi
grep -o '\bkb_[a-z_]*(' "$prefix/include/knuckleboom.h" | tr -d '(' | sort -u >"$work/mentioned"
sed -n 's/^KB_API .*[ *]\(kb_[a-z_]*\)(.*/\1/p' "$prefix/include/knuckleboom.h" | sort >"$work/declared"
diff "$work/exported" "$work/declared" || fail "exported and declared functions differ"
abi="$(sed -n 's/^#define KB_ABI_VERSION //p' "$prefix/include/knuckleboom.h")"
readelf -d "$library" >"$work/dynamic"
grep -q "SONAME.*\[libknuckleboom\.so\.$abi\]" "$work/dynamic" || fail "the SONAME is not libknuckleboom.so.$abi"
needed='lib(fmt|tomlplusplus|tinyxml2|xxhash|stdc\+\+|gcc_s|m|c|asan|ubsan|tsan)\.so|ld-linux'
if grep NEEDED "$work/dynamic" | grep -vE "\[($needed)"; then fail "the library needs more than it says"; fi
trainer='OpenSceneGraph|OPENSCENEGRAPH|SDL|HDF5|hdf5|Ceres|ceres|SUNDIALS|sqlite|CLI11|spdlog|sodium|SODIUM|imgui'
if grep -rEl "$trainer" "$libraries/cmake" "$libraries/pkgconfig"; then fail "a package of the trainer is named"; fi
if grep -rEl "#include <(osg|SDL|hdf5|ceres|sunmatrix|cvode|sqlite3|CLI|spdlog|sodium|imgui)" "$prefix/include"; then
  fail "a header needs a package of the trainer"
fi
if grep -rn "$source\|$build" "$libraries/cmake" "$libraries/pkgconfig"; then fail "a path of the build is installed"; fi

# --- C++ and C by find_package --------------------------------------------------------------------------------

hidden=()
for package in OpenSceneGraph SDL2 HDF5 Ceres SUNDIALS SQLite3 CLI11 spdlog OpenGL Threads; do
  hidden+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
use() { # use <name> <options>: configures and builds tests/library/installed
  local name="$1"
  shift
  cmake -S "$here/installed" -B "$work/$name" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
    "${hidden[@]}" "$@" >"$work/$name.log" 2>&1 || { cat "$work/$name.log"; fail "$name does not configure"; }
  cmake --build "$work/$name" >>"$work/$name.log" 2>&1 || { cat "$work/$name.log"; fail "$name does not build"; }
}
use core -DCORE_ONLY=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_tomlplusplus=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_tinyxml2=ON -DCMAKE_DISABLE_FIND_PACKAGE_XXHash=ON
"$work/core/core_only" || fail "the core alone gives a wrong period"
# What keeps the bits must come from the target, also where the user asks for more of the processor.
use all -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
grep -q -- '-ffp-contract=off' "$work/all/compile_commands.json" || fail "contraction is not forbidden"
for scenario in stick_sine tip_circle four_bar_torque; do
  same "C++ by find_package" "$("$work/all/hash_of_cpp" "$scenario")" "$scenario"
  same "C by find_package" "$("$work/all/hash_of_c" "$scenario")" "$scenario"
done

# --- C and C++ by pkg-config ----------------------------------------------------------------------------------

export PKG_CONFIG_PATH="$libraries/pkgconfig"
strict=(-std=c11 -pedantic -Wall -Wextra -Werror)
read -r -a flags <<<"$(pkg-config --cflags --libs knuckleboom)"
[[ "$(pkg-config --modversion knuckleboom)" == 0.* ]] || fail "pkg-config knows no version"
cc "${strict[@]}" "$here/installed/hash_of.c" -o "$work/hash_of_c" "${flags[@]}"
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
same "C by pkg-config" "$("$work/hash_of_c" boom_sine)" boom_sine
if "$work/hash_of_c" no_such_scenario 2>"$work/refusal"; then fail "an unknown scenario is accepted"; fi
grep -q "there is no scenario 'no_such_scenario'" "$work/refusal" || fail "the refusal does not say what is wrong"
read -r -a flags <<<"$(pkg-config --cflags --libs knuckleboom-io)"
c++ -O1 "$here/installed/hash_of.cpp" -o "$work/hash_of_cpp" "${flags[@]}"
same "C++ by pkg-config" "$("$work/hash_of_cpp" boom_sine)" boom_sine

# --- The tutorial's program -----------------------------------------------------------------------------------

tutorial="$source/docs/tutorials/library.md"
awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$tutorial" >"$work/tutorial.c"
[[ -s "$work/tutorial.c" ]] || fail "the tutorial has no program"
read -r -a flags <<<"$(pkg-config --cflags --libs knuckleboom)"
cc "${strict[@]}" "$work/tutorial.c" -o "$work/tutorial" "${flags[@]}" -lm
(cd "$work" && ./tutorial) >"$work/tutorial.out"
awk '/^```text$/ {on = 1; next} /^```$/ {on = 0} on' "$tutorial" >"$work/tutorial.expected"
diff "$work/tutorial.expected" "$work/tutorial.out" || fail "the tutorial shows something else than its program"

# --- As a subdirectory ----------------------------------------------------------------------------------------

# Configured, and one file of the user's compiled; the whole takes minutes (./dev long).
cmake -S "$here/subproject" -B "$work/subproject" -DKNUCKLEBOOM_SOURCE="$source" "${hidden[@]}" \
  >"$work/subproject.log" 2>&1 || { cat "$work/subproject.log"; fail "the subdirectory does not configure"; }
grep -q 'hash_of.cpp' "$work/subproject/compile_commands.json" || fail "there is no command for the user's file"
grep 'command.*hash_of.cpp' "$work/subproject/compile_commands.json" >"$work/command"
grep -qE -- '-std=(c|gnu)\+\+20' "$work/command" || fail "the target does not ask for C++20"
grep -q -- '-ffp-contract=off' "$work/command" || fail "contraction is not forbidden in a subdirectory"
if grep -qE -- '-Werror|-Wconversion' "$work/command"; then fail "our warnings are forced upon the user"; fi
if [[ -n "${KNUCKLEBOOM_LONG:-}" ]]; then
  cmake --build "$work/subproject" --parallel >>"$work/subproject.log" 2>&1 ||
    { tail -40 "$work/subproject.log"; fail "the subdirectory does not build"; }
  same "C++ in a subdirectory" "$("$work/subproject/hash_of" stick_sine)" stick_sine
fi
# --- The installed program ------------------------------------------------------------------------------------

cmake --install "$build" --component program --prefix "$prefix" >>"$work/install.log"
[[ -x "$prefix/libexec/knuckleboom/knuckleboom-session-reader" ]] || fail "the reader of sessions is not installed"
gunzip -c "$source/tests/data/released/session_6.h5.gz" >"$work/session.h5"
"$prefix/bin/knuckleboom" report "$work/session.h5" -o "$work/report.html" >"$work/report.log" 2>&1 ||
  { cat "$work/report.log"; fail "the installed program reads no session"; }

# --- The package for Python -----------------------------------------------------------------------------------

cmake --install "$build" --component python --prefix "$prefix" >>"$work/install.log"
module="$(find "$prefix" -name '_engine*.so')"
if [[ -n "$module" ]]; then
  python="$(sed -n 's/^_Python_EXECUTABLE:INTERNAL=//p' "$build/CMakeCache.txt")"
  if [[ "$(nm -D --defined-only "$module" | awk '{print $3}')" != PyInit__engine ]]; then fail "the module exports more"; fi
  said="$(cd "$work" && PYTHONPATH="$(dirname "$(dirname "$module")")" "$python" -c "
import knuckleboom
crane = knuckleboom.Simulation(scenario='stick_sine')
crane.step(crane.tick_count)
assert len(knuckleboom.read_session('session.h5')) > 100
print(knuckleboom.config_folders()[0], crane.hash)")" || fail "the installed package for Python does not work"
  [[ "${said% *}" == "$prefix/share/knuckleboom/config" ]] || fail "the package for Python looks in ${said% *} first"
  same "Python" "${said#* }" stick_sine
fi

rm -r "$prefix/libexec"
if "$prefix/bin/knuckleboom" report "$work/session.h5" -o "$work/report.html" >"$work/report.log" 2>&1; then
  fail "a session is read without the program that reads it"
fi
grep -q "there is no knuckleboom-session-reader in '$prefix/bin' or '$prefix/libexec/knuckleboom'" "$work/report.log" ||
  { cat "$work/report.log"; fail "the refusal does not say what is missing"; }
echo "the installed engine gives the bits of run"
