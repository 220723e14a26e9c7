#!/usr/bin/env bash
# PrairieLearn starts this script for each submission: /grade/student contains its files, WARPGRADE_LAB comes from the
# question's externalGradingOptions. /grade/data/data.json is not read, because students choose its contents.
set -euo pipefail

root=${GRADE_ROOT:-/grade}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export WARPGRADE_GRADE_OPTIONS=${WARPGRADE_GRADE_OPTIONS:---device virtual --jobs 1}
: "${WARPGRADE_LAB:?set it in externalGradingOptions.environment of the question}"
mkdir -p "$root/results"

if ! bash "$here/../grade_one.sh" prairielearn "$root/student" "$root/results/results.json" "$WARPGRADE_LAB"; then
  # A fault of the grader must not count as an attempt. If `export` could run, it has already written this file.
  [ -f "$root/results/results.json" ] ||
    echo '{"gradable": false, "format_errors": ["The grader failed, not your submission. Please tell the staff."]}' \
      >"$root/results/results.json"
fi
