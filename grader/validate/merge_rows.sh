#!/usr/bin/env bash
# merge_rows.sh OLD.csv NEW.csv…: prints OLD with the rows of NEW. Rows of OLD whose first cell (a program, a group) is
# also in a NEW are replaced by the rows of NEW; rows that OLD lacks are added at the end. All files need the same
# columns.
set -euo pipefail

old=${1:?usage: merge_rows.sh OLD.csv NEW.csv…}
shift
for new in "$@"; do
  if [ "$(head -n 1 "$old")" != "$(head -n 1 "$new")" ]; then
    echo "$old and $new have different columns" >&2
    exit 2
  fi
done
awk -F, '
  function give(group) { printf "%s", rows[group]; delete rows[group] }
  FNR == 1 { if (is_old) print; next }
  !is_old {
    if (!($1 in is_new)) { is_new[$1] = 1; order[++count] = $1 }
    rows[$1] = rows[$1] $0 "\n"
    next
  }
  $1 in is_new { give($1); next }
  { print }
  END { for (i = 1; i <= count; ++i) give(order[i]) }
' "$@" is_old=1 "$old"
