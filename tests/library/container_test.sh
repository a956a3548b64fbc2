#!/usr/bin/env bash
# Builds and installs the engine in a Debian that has its packages and none of the trainer's, and uses it there
# from C++ and from C. The bits must be those of `knuckleboom run` outside. Needs root, debootstrap and a Debian
# mirror.
#
# usage: container_test.sh SOURCE WORK KNUCKLEBOOM
set -euo pipefail
source="$1" work="$2" program="$3"
debian="$work/debian"
packages=g++,cmake,ninja-build,pkg-config,libeigen3-dev,libfmt-dev,libtomlplusplus-dev,libtinyxml2-dev,libxxhash-dev
mirror="${KNUCKLEBOOM_MIRROR:-http://deb.debian.org/debian}"

fail() {
  printf '%s\n' "container_test: $*" >&2
  exit 1
}

((EUID == 0)) || fail "a Debian of its own is made by root only"
if [[ ! -f "$debian/made" ]]; then
  rm -rf "$debian"
  mkdir -p "$debian"
  debootstrap --variant=minbase --include="$packages" bookworm "$debian" "$mirror" >"$work/debootstrap.log" ||
    fail "debootstrap failed, see $work/debootstrap.log"
  touch "$debian/made"
fi
for header in osg SDL2 hdf5 hdf5.h ceres cvode sqlite3.h sodium.h CLI spdlog imgui; do
  if [[ -e "$debian/usr/include/$header" ]]; then fail "$header is in the Debian that shall not have it"; fi
done
rm -rf "$debian/source" "$debian/build" "$debian/prefix" "$debian/use"
mkdir "$debian/source"
cp -r "$source"/{CMakeLists.txt,config,docs,include,src,tests} "$debian/source"

cat >"$debian/steps.sh" <<'STEPS'
set -euo pipefail
export CMAKE_GENERATOR=Ninja
cmake -S /source -B /build -DCMAKE_BUILD_TYPE=Release -DKNUCKLEBOOM_PROGRAM=OFF -DCMAKE_INSTALL_PREFIX=/prefix
cmake --build /build
cmake --install /build
mv /source/config /source/moved  # only the installed files count
cmake -S /source/tests/library/installed -B /use -DCMAKE_PREFIX_PATH=/prefix -DCMAKE_BUILD_TYPE=Release
cmake --build /use
export PKG_CONFIG_PATH="$(dirname "$(find /prefix -name knuckleboom.pc)")"
export LD_LIBRARY_PATH="$(dirname "$(find /prefix -name libknuckleboom.so)")"
cc -std=c11 -pedantic -Wall -Wextra -Werror /source/tests/library/installed/hash_of.c -o /use/by_pkg_config \
  $(pkg-config --cflags --libs knuckleboom)
for scenario in stick_sine tip_circle four_bar_torque; do
  for user in hash_of_cpp hash_of_c by_pkg_config; do echo "$user $scenario $("/use/$user" $scenario)"; done
done >/hashes
STEPS
chroot "$debian" bash /steps.sh >"$work/build.log" 2>&1 || {
  tail -30 "$work/build.log"
  fail "the engine does not build or work there, see $work/build.log"
}
while read -r user scenario hash; do
  "$program" run "$scenario" --summary "$work/summary.json" >/dev/null
  expected="$(sed -n 's/.*"state_hash": *"\([0-9a-f]*\)".*/\1/p' "$work/summary.json")"
  [[ "$hash" == "$expected" ]] || fail "$user gives $hash for $scenario, run gives $expected"
  echo "$user: $scenario $hash, as run"
done <"$debian/hashes"
[[ "$(wc -l <"$debian/hashes")" == 9 ]] || fail "not all programs have run"
