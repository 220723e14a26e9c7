#!/usr/bin/env bash
# merge_rows.sh OLD.csv NEW.csv: OLD with the rows of NEW, on standard output. Rows whose first cell stands in NEW too (a
# program, a group) are NEW's alone. Both need the same columns.
set -euo pipefail

old=${1:?usage: merge_rows.sh OLD.csv NEW.csv}
new=${2:?usage: merge_rows.sh OLD.csv NEW.csv}
if [ "$(head -n 1 "$old")" != "$(head -n 1 "$new")" ]; then
  echo "$old and $new have different columns" >&2
  exit 2
fi
awk -F, 'FNR == NR { replaced[$1] = 1; next } FNR == 1 || !($1 in replaced)' "$new" "$old"
tail -n +2 "$new"
