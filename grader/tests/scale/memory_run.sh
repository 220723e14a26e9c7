#!/usr/bin/env bash
# memory_run.sh WARPGRADE KIT [SUBMISSIONS [LAB]]: measures whether the grader's memory grows with the class.
#
# Grades SUBMISSIONS (300) distinct files for LAB (00-warm-up; "" means every lab) and prints the grader's resident
# memory at every tenth of the results. If the grader keeps nothing of published results, its memory stays constant once
# each lab's cases have been made.
set -euo pipefail

warpgrade=$1
kit=$2
submissions=${3:-300}
lab=${4-00-warm-up}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
# shellcheck source=class.sh
. "$(dirname "$0")/class.sh"

memory() { # PROCESS NAME: VmRSS (current) or VmHWM (maximum so far), in KiB
  sed -n "s/^$2:[^0-9]*\\([0-9]*\\).*/\\1/p" "/proc/$1/status" 2>/dev/null || true
}

results() { find "$work/out/results" -name "*.json" 2>/dev/null | wc -l || true; }

make_class "$kit" "$work/class" "$submissions" 1 "$lab"
lab_options=()
for one in "$kit"/labs/${lab:-*}/lab.json; do lab_options+=(--lab "$(basename "$(dirname "$one")")"); done
"$warpgrade" grade "$work/class" --out "$work/out" --device virtual "${lab_options[@]}" >"$work/log" 2>&1 &
grader=$!
labs=$(find "$kit"/labs -name lab.json | wc -l)
total=$((submissions * (${#lab} > 0 ? 1 : labs)))
next=$((total / 10))
while now=$(memory "$grader" VmRSS) && [[ -n $now ]]; do
  most=$(memory "$grader" VmHWM)
  finished=$(results)
  if ((finished >= next)); then
    echo "after $finished results: $now KiB, most so far $most KiB"
    next=$((finished + total / 10))
  fi
  sleep 0.2
done
wait "$grader" || [[ $? == 3 ]] || { cat "$work/log"; exit 1; }
