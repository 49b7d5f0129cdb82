#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same bits from gcc and clang, optimised or not: compares the state hashes of every solver on every
# shipped scenario, and on some of its own, between a program of this build and builds of hash_main.c,
# solvers and scenarios by other means. Closed forms, which no state depends on, are those of LIBRARY.
# usage: hash.sh PROGRAM LIBRARY COMPILER [long]: the first two of this build, and the other compiler's
# name, of which there is a build at -O0. Long: more steps, and both compilers at -O0 and -O3.
set -e
program=$1 library=$2 other=$3 long=$4
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources=$(find "$top/solvers" "$top/scenarios" -name exact -prune -o -name '*.c' -print)
libraries="$(pkg-config --cflags --libs yaml-0.1 gsl) -lm"

# print_hashes NAME PROGRAM
print_hashes() {
  # shellcheck disable=SC2086
  "$2" $long "$top"/scenarios/*.yaml "$top"/tests/hash/*.yaml >"$work/$1.txt"
}

# build_and_print NAME COMPILER OPTION: the flags that fix the arithmetic are those of CMakeLists.txt.
build_and_print() {
  # shellcheck disable=SC2086
  "$2" "$3" -std=c17 -ffp-contract=off -fno-math-errno -DROPELAB_GSL -I"$top/solvers" -I"$top/scenarios" \
    "$top/tests/hash/hash_main.c" $sources "$library" $libraries -o "$work/$1"
  print_hashes "$1" "$work/$1"
}

print_hashes this "$program" &
pids=$!
case $long in
  '') variants="$other-O0" ;;
  *) variants="gcc-O0 clang-O0 $other-O3" ;;
esac
for name in $variants; do
  build_and_print "$name" "${name%-*}" "-${name##*-}" &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid"; done
for name in $variants; do
  if ! diff "$work/this.txt" "$work/$name.txt"; then
    echo "hash: expected the same bits from this build and $name, observed the differences above" >&2
    exit 1
  fi
done
echo "hash: $(wc -l <"$work/this.txt") cells, the same bits from this build and $variants"
