#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same bits from gcc and clang, at -O0 and -O3: builds solvers and scenarios four ways and
# compares the state hashes of every solver on every shipped scenario and on one with friction.
set -e
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources=$(find "$top/solvers" "$top/scenarios" -name '*.c')
libraries="$(pkg-config --cflags --libs yaml-0.1 gsl) -lm"
first=
for variant in 'gcc -O0' 'gcc -O3' 'clang -O0' 'clang -O3'; do
  name=$(echo "$variant" | tr -d ' -')
  # The flags that fix the arithmetic are those of CMakeLists.txt.
  # shellcheck disable=SC2086
  $variant -std=c17 -ffp-contract=off -fno-math-errno -DROPELAB_GSL -I"$top/solvers" -I"$top/scenarios" \
    "$top/tests/hash/hash_main.c" $sources $libraries -o "$work/$name" &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid"; done
pids=
for name in gccO0 gccO3 clangO0 clangO3; do
  "$work/$name" "$top"/scenarios/*.yaml "$top"/tests/hash/*.yaml >"$work/$name.txt" &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid"; done
for name in gccO0 gccO3 clangO0 clangO3; do
  first=${first:-$work/$name.txt}
  if ! diff "$first" "$work/$name.txt"; then
    echo "hash: expected the same bits from gccO0 and $name, observed the differences above" >&2
    exit 1
  fi
done
echo "hash: $(wc -l <"$first") cells, the same bits from gcc and clang at -O0 and -O3"
