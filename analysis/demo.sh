#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The main job in one command: installs what is missing, builds, runs every solver on every shipped
# scenario, for at most 3 s of processor time each, and writes the report (its figures as SVG only;
# `ropelab report out/demo` draws them as PNG and PDF, too). It says how many runs are done.
# usage: analysis/demo.sh [PRESET [SECONDS]]   (default: release 3)
set -e
cd "$(dirname "$0")/.."
. analysis/setup.sh
# shellcheck disable=SC2086
need $build_packages
echo 'Building ...'
preset=${1:-release}
build "$preset" OFF
echo 'Running every solver on every scenario, about ten minutes on two processors ...'
scenarios=$(ls scenarios | sed -n 's|\.yaml$||p' | LC_ALL=C sort)
# shellcheck disable=SC2086
"build/$preset/ropelab" compare $scenarios --time-limit "${2:-3}" --figures svg --out out/demo --force >/dev/null
echo "The report: $(pwd)/out/demo/report.html"
