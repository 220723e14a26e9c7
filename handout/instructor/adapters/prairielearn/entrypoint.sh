#!/usr/bin/env bash
# What PrairieLearn starts for each submission: /grade/student holds its files, WARPGRADE_LAB comes from the question's
# externalGradingOptions. Of /grade/data/data.json nothing is read: students choose what is in it.
set -euo pipefail

root=${GRADE_ROOT:-/grade}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export WARPGRADE_GRADE_OPTIONS=${WARPGRADE_GRADE_OPTIONS:---device virtual --jobs 1}
: "${WARPGRADE_LAB:?set it in externalGradingOptions.environment of the question}"
mkdir -p "$root/results"

if ! bash "$here/../grade_one.sh" prairielearn "$root/student" "$root/results/results.json" "$WARPGRADE_LAB"; then
  # A fault of the grader is no attempt of the student's. `export` has written this already when it could.
  [ -f "$root/results/results.json" ] ||
    echo '{"gradable": false, "format_errors": ["The grader failed, not your submission. Please tell the staff."]}' \
      >"$root/results/results.json"
fi
