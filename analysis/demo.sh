#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The main job in one command: installs what is missing, builds, runs every solver on every shipped
# scenario and writes the report.
set -e
cd "$(dirname "$0")/.."
. analysis/setup.sh
# shellcheck disable=SC2086
need $build_packages
echo 'Building ...'
# The tests are built by tests/run.sh, with the packages they need.
log=$(mktemp)
if ! { cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release; } >"$log" 2>&1; then
  cat "$log" >&2
  rm -f "$log"
  exit 1
fi
rm -f "$log"
echo 'Running every solver on every scenario ...'
scenarios=$(ls scenarios/*.yaml | sed 's|.*/||; s|\.yaml$||')
# shellcheck disable=SC2086
build/release/ropelab compare $scenarios --out out/demo --force
echo "The report: $(pwd)/out/demo/report.html"
