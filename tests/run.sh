#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds and runs the default test suite; with --all also the tests with
# the label `thorough`.
# usage: tests/run.sh [--all] [PRESET...]   (default: release; CMakePresets.json lists them)
set -e
cd "$(dirname "$0")/.."
. analysis/setup.sh
# shellcheck disable=SC2086
need $build_packages $test_packages
all=
if [ "$1" = --all ]; then
  all=1
  shift
fi
for preset in "${@:-release}"; do
  echo "Building $preset ..."
  build "$preset" ON
  ctest --preset "$preset"
  [ -z "$all" ] || ctest --test-dir "build/$preset" -L thorough -j3 --output-on-failure
done
