#!/usr/bin/env bash
# merge_rows.sh OLD.csv NEW.csv…: OLD with the rows of NEW, on standard output. Rows whose first cell (a program, a group)
# stands in a NEW too come from there alone. All need the same columns.
set -euo pipefail

old=${1:?usage: merge_rows.sh OLD.csv NEW.csv…}
shift
for new in "$@"; do
  if [ "$(head -n 1 "$old")" != "$(head -n 1 "$new")" ]; then
    echo "$old and $new have different columns" >&2
    exit 2
  fi
done
cut -d, -f1 "$@" | awk -F, 'FNR == NR { replaced[$1] = 1; next } FNR == 1 || !($1 in replaced)' - "$old"
awk 'FNR > 1' "$@"
