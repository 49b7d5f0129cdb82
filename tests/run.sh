#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds and runs the default test suite.
# usage: tests/run.sh [PRESET...]   (default: release; CMakePresets.json lists them)
set -e
cd "$(dirname "$0")/.."
. analysis/setup.sh
# shellcheck disable=SC2086
need $build_packages $test_packages
for preset in "${@:-release}"; do
  echo "Building $preset ..."
  build "$preset" ON
  ctest --preset "$preset"
done
