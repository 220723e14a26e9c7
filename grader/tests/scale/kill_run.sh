#!/usr/bin/env bash
# kill_run.sh WARPGRADE KIT [SUBMISSIONS [KILLS [DISTINCT]]]: checks that kills of the grader do not change results.
#
#   1. makes SUBMISSIONS (1000) from the kit's solutions, right and wrong, and its hostile files, one file each;
#      with DISTINCT=1 a comment makes every file unique, otherwise files repeat, as in a real class;
#   2. grades them for all labs without disturbance;
#   3. grades them again, kills the grader with SIGKILL KILLS (50) times at random instants, resumes each time;
#   4. compares: there is a result for every submission and lab, none was published twice, all files are equal except
#      for the times in provenance, and the killed runs left nothing in the folder for temporary files.
#
# Prints its observations and the grader's largest memory; exits with 0 if all checks pass. Times depend on the machine:
# DISTINCT=1 with 1000 submissions takes about half an hour on two cores.
set -euo pipefail

warpgrade=$1
kit=$2
submissions=${3:-1000}
kills=${4:-50}
distinct=${5:-0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# shellcheck source=class.sh
. "$(dirname "$0")/class.sh"

# Keeps the graders' files for inspection.
fail() {
  echo "FAILED: $*; see $work" >&2
  trap - EXIT
  exit 1
}

peak_kib() { # PROCESS: its largest resident set so far (VmHWM), while it runs
  sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null || true
}

grade() { # grade OUT SECONDS OPTION…: runs until its end, or for SECONDS, then SIGKILL; prints its exit status
  local out=$1 seconds=$2 pid end peak
  shift 2
  "$warpgrade" grade "$work/class" --out "$out" --device virtual "${lab_options[@]}" "$@" >"$work/log" 2>&1 &
  pid=$!
  end=$(awk -v now="$(date +%s.%N)" -v more="$seconds" 'BEGIN {printf "%.3f", now + more}')
  while kill -0 "$pid" 2>/dev/null && awk -v now="$(date +%s.%N)" -v end="$end" 'BEGIN {exit !(now < end)}'; do
    peak=$(peak_kib "$pid")
    if [[ -n $peak ]]; then echo "$peak" >>"$work/peaks"; fi
    sleep 0.05
  done
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" && echo 0 || echo $?
}

whole_run() {
  local start end code
  start=$(date +%s)
  code=$(grade "$work/whole" 36000)
  [[ $code == 0 || $code == 3 ]] || { cat "$work/log"; fail "the undisturbed run ended with $code"; }
  end=$(date +%s)
  whole_s=$((end - start))
  echo "undisturbed: $whole_s s, exit code $code, largest memory $(sort -n "$work/peaks" | tail -n 1) KiB, after a tenth of" \
    "the run $(sed -n "$(($(wc -l <"$work/peaks") / 10 + 1))p" "$work/peaks") KiB"
}

killed_run() {
  local done_before=0 code seconds random
  for ((i = 1; i <= kills; ++i)); do
    # At most twice the mean, so that the run is almost complete after the last kill.
    random=$RANDOM
    seconds=$(awk -v whole="$whole_s" -v kills="$kills" -v r="$random" 'BEGIN {print 2 * whole / kills * r / 32767}')
    code=$(grade "$work/killed" "$seconds" --resume)
    echo "  attempt $i: $seconds s, exit code $code, $(find "$work/killed" -path '*/results/*.json' | wc -l) results"
    if [[ $code == 0 || $code == 3 ]]; then ((++done_before)); fi
  done
  code=$(grade "$work/killed" 36000 --resume)
  [[ $code == 0 || $code == 3 ]] || { cat "$work/log"; fail "the last resume ended with $code"; }
  echo "killed $((kills - done_before)) times during grading, $done_before times grading was already complete"
}

compare() {
  local labs results twice
  labs=${#lab_options[@]}
  labs=$((labs / 2))
  results=$(find "$work/killed/results" -name '*.json' | wc -l)
  [[ $results == $((submissions * labs)) ]] || fail "$results results, expected $((submissions * labs))"
  twice=$(sed -n 's/^{"event":"result".*"file":"\([^"]*\)".*/\1/p' "$work/killed/journal.jsonl" | sort | uniq -d | wc -l)
  [[ $twice == 0 ]] || fail "$twice results were published twice"
  for file in manifest.json gradebook.csv summary.json; do
    diff "$work/whole/$file" "$work/killed/$file" || fail "$file differs"
  done
  diff -rq -I '^    "\(started\|finished\)": ' "$work/whole/results" "$work/killed/results" || fail "results differ"
  diff -rq "$work/whole/sources" "$work/killed/sources" || fail "sources differ"
  [[ ! -e $work/killed/attempts ]] || fail "attempts are left"
  [[ -z $(ls -A "$TMPDIR") ]] || fail "left in TMPDIR: $(find "$TMPDIR" -mindepth 1 -maxdepth 1 | head)"
  echo "$results results, none lost, none twice, all equal except for the times in provenance"
}

lab_options=()
for lab in "$kit"/labs/*/lab.json; do lab_options+=(--lab "$(basename "$(dirname "$lab")")"); done
make_class "$kit" "$work/class" "$submissions" "$distinct"
whole_run
killed_run
compare
