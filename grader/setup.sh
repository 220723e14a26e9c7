#!/usr/bin/env bash
# Installs the system packages that warpgrade needs, on Debian 12, Ubuntu 24.04 and their relatives.
# Prints and changes nothing if all are installed. `--dev` adds packages for developers of the kit, `--book` those that
# build the handbook as a book, `--slurm` a Slurm for tests, which start its daemons themselves and need no service,
# `--browser` a Chromium for tests of pages.
set -euo pipefail

# The comment after each package is its purpose; other systems have equivalent packages under other names.
packages=(
  g++                # compiles the kit and links submissions
  cmake              # 3.25 or newer
  ninja-build
  pkg-config
  clang              # compiles CUDA files if there is no CUDA Toolkit
  bubblewrap         # the sandbox
  catch2             # the kit's tests
  nlohmann-json3-dev
  libcli11-dev       # command line
  libfmt-dev
  libssl-dev         # SHA-256
  libzstd-dev        # compressed fat binaries
  liblz4-dev
  libpng-dev         # pictures of cases
  libarchive-dev     # submissions in archives
  libyaml-dev        # Gradescope's list of submissions
  libseccomp-dev     # system calls of boxed programs
  libcapstone-dev    # decodes submissions' machine code
  tzdata             # names of time zones in course.json
  python3            # checks of the handbook
)
developer_packages=(clang-format-14 clang-tidy-14 shellcheck ccache)
book_packages=(mkdocs mkdocs-material)
slurm_packages=(slurmctld slurmd slurm-client munge)
browser_packages=(chromium nodejs)
command -v npm >/dev/null || browser_packages+=(npm)  # some packages of nodejs contain it
browser_tests=$(cd "$(dirname "$0")" && pwd)/tests/pages/browser
with_browser=no

for option in "$@"; do
  case "$option" in
    --dev) packages+=("${developer_packages[@]}") ;;
    --book) packages+=("${book_packages[@]}") ;;
    --slurm) packages+=("${slurm_packages[@]}") ;;
    --browser)
      packages+=("${browser_packages[@]}")
      with_browser=yes
      ;;
    *)
      echo "usage: grader/setup.sh [--dev] [--book] [--slurm] [--browser]" >&2
      exit 2
      ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  {
    echo "grader/setup.sh supports only Debian and Ubuntu. Install the equivalents of these packages, then continue:"
    printf '  %s\n' "${packages[@]}"
    echo "(a C++20 compiler, CMake 3.25 or newer, Ninja, pkg-config, clang 14 or newer or a CUDA Toolkit 12 or newer,"
    echo " bubblewrap, Catch2 2.13 or 3, nlohmann/json, CLI11, fmt, OpenSSL, zstd, LZ4, libpng, libarchive, libyaml, libseccomp and Capstone with headers)"
  } >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done

# The packages of the browser's tests, with the versions and digests of package-lock.json.
install_browser_tests() {
  [ "$with_browser" = yes ] || return 0
  cmp -s "$browser_tests/package-lock.json" "$browser_tests/node_modules/.installed" && return 0
  npm ci --prefix "$browser_tests" --silent --no-audit --no-fund
  cp "$browser_tests/package-lock.json" "$browser_tests/node_modules/.installed"
}

if [ ${#missing[@]} -eq 0 ]; then
  install_browser_tests
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "packages are missing and this user cannot install them; as root, run:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
install_browser_tests
