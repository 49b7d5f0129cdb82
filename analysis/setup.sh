# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by analysis/demo.sh and tests/run.sh, in the top folder: installs from Debian what is
# missing. Once everything is there it needs no network.

# need PACKAGE...: installs those that are not there.
need() {
  missing=
  for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
      "install ok installed") ;;
      *) missing="$missing $package" ;;
    esac
  done
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      printf 'ropelab needs these Debian packages, and neither root nor sudo is at hand to install them:\n %s\nPlease have them installed and start again.\n' "$missing" >&2
      exit 1
    fi
    as_root=sudo
  fi
  printf 'Installing from Debian:%s\n' "$missing" >&2
  log=$(mktemp)
  # shellcheck disable=SC2086
  if ! { $as_root apt-get update &&
         $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
       } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    printf 'ropelab: these Debian packages could not be installed:%s\n' "$missing" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo 'ropelab: this script installs what it needs on Debian; elsewhere see the list in analysis/setup.sh' >&2
  exit 1
fi
build_packages='gcc libc6-dev cmake ninja-build pkg-config libgsl-dev libhdf5-dev libyaml-dev libjansson-dev
  python3 python3-jinja2 python3-numpy python3-h5py gnuplot-nox fonts-dejavu-core'
test_packages='libcmocka-dev libccd-dev clang g++ git groff-base'

# build PRESET ON|OFF: configures and builds, with the tests or without; quiet unless it fails.
build() {
  log=$(mktemp)
  if ! { cmake --preset "$1" -DBUILD_TESTING="$2" && cmake --build --preset "$1"; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}
