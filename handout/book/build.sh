#!/usr/bin/env bash
# build.sh PYTHON FOLDER: builds the handbook in FOLDER/staff/site and FOLDER/student/site. Warnings are errors.
set -euo pipefail
python=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)

# Debian's MkDocs needs Debian's Python, even if another Python is first in PATH.
mkdocs=/usr/bin/mkdocs
[ -x "$mkdocs" ] || mkdocs=$(command -v mkdocs) || {
  echo "mkdocs is missing; install it with: grader/setup.sh --book" >&2
  exit 1
}

(cd "$here/theme/iframe-worker" && sha256sum --check --quiet SHA256SUMS)
rm -rf "$folder"
for book in staff student; do
  part=$book
  [ "$book" = student ] || part=all
  "$python" -B "$here/book.py" stage "$folder/$book" "$part"
  "$mkdocs" build --strict --config-file "$folder/$book/mkdocs.yml" >"$folder/$book/mkdocs.log" 2>&1 || {
    grep -v '^INFO' "$folder/$book/mkdocs.log" >&2
    exit 1
  }
  "$python" -B "$here/book.py" index "$folder/$book/site"
  echo "$folder/$book/site/index.html"
done
