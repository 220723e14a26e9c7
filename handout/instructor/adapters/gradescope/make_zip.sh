#!/usr/bin/env bash
# Makes the zip file to upload to Gradescope: this folder's files and the committed files of the kit, without build
# outputs. With SEED_FILE, submissions are graded with inputs made from the secret bytes in this file.
#
#   make_zip.sh LAB ZIP [SEED_FILE]
set -euo pipefail

if [ $# -ne 2 ] && [ $# -ne 3 ]; then
  echo "usage: make_zip.sh LAB ZIP [SEED_FILE]" >&2
  exit 2
fi
lab=$1
zip_file=$(realpath -m -- "$2")
seed_file=${3:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kit=$(git -C "$here" rev-parse --show-toplevel)
if [ ! -f "$kit/labs/$lab/lab.json" ]; then
  echo "make_zip.sh: there is no lab $lab in $kit/labs" >&2
  exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/kit"
git -C "$kit" archive HEAD | tar -x -C "$work/kit"
cp "$here/run_autograder" "$here/setup.sh" "$work"
sed "s/^LAB=.*/LAB=$lab/" "$here/config.sh" >"$work/config.sh"
files=(config.sh kit run_autograder setup.sh)
if [ -n "$seed_file" ]; then
  cp -- "$seed_file" "$work/seeds"
  # shellcheck disable=SC2016 # expanded where config.sh is read
  sed -i 's|^SEED_FILE= *|SEED_FILE=$KIT/../seeds |' "$work/config.sh"
  files+=(seeds)
fi
chmod +x "$work/run_autograder" "$work/setup.sh"
rm -f -- "$zip_file"
cd "$work"
python3 -m zipfile -c "$zip_file" "${files[@]}"
