#!/usr/bin/env bash
# Grades one submission and writes its result in the format of another system; the adapters call this script.
#
#   grade_one.sh FORMAT SUBMISSION RESULT LAB
#
# FORMAT is a format of `warpgrade export`, SUBMISSION the folder with the student's files, RESULT the file to write. Exit
# status 0: RESULT is complete. Otherwise there is no RESULT and no grade: the grader or its machine failed, which the
# other system must not charge to the student.
#
# Nothing that a student can choose (names and contents of files) is part of a command. WARPGRADE names the program,
# WARPGRADE_GRADE_OPTIONS and WARPGRADE_EXPORT_OPTIONS further options of `grade` and `export`, separated by blanks.
set -euo pipefail

if [ $# -ne 4 ]; then
  echo "usage: grade_one.sh FORMAT SUBMISSION RESULT LAB" >&2
  exit 2
fi
format=$1 submission=$2 result=$3 lab=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
warpgrade=${WARPGRADE:-$here/../../../build/virtual/bin/warpgrade}
read -r -a options <<<"${WARPGRADE_GRADE_OPTIONS:-}"
read -r -a export_options <<<"${WARPGRADE_EXPORT_OPTIONS:-}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -f -- "$result" # an old result must not be taken for the new one

mkdir -p "$work/submissions"
cp -RP -- "$submission" "$work/submissions/submission" # -P: keeps links, which `grade` refuses
# The exit statuses are ignored: if the format can express faults, the result contains them.
"$warpgrade" grade "$work/submissions" --lab "$lab" --out "$work/results" ${options[@]+"${options[@]}"} >&2 || true
"$warpgrade" export "$work/results" --format "$format" --submission submission --out "$result" \
  ${export_options[@]+"${export_options[@]}"} >&2 || true
[ -f "$result" ]
