#!/usr/bin/env bash
# several_gpus.sh WARPGRADE KIT [SUBMISSIONS]: checks that several GPUs are used at the same time.
#
# Needs at least two GPUs, and nvidia-smi. Grades the solutions of lab 00, each made distinct by a comment:
#   1. with --gpus 0;  2. on all GPUs;  3. by two graders at the same time, on all GPUs. Prints the times and, for each
# run, how many GPUs had programs on them. Fails if a GPU is idle in run 2, if a submission is not graded, or if a GPU
# that does not exist is accepted. Reports points that differ between runs 1 and 2.
set -euo pipefail

warpgrade=$1
kit=$2
lab=00-warm-up
submissions=${3:-16}
work=$(mktemp -d)
trap 'kill %1 2>/dev/null || true; rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }

for ((i = 0; i < submissions; ++i)); do
  mkdir -p "$work/class/s$i/$lab"
  cp "$kit/solutions/$lab"/*.cu "$work/class/s$i/$lab/"
  for file in "$work/class/s$i/$lab"/*.cu; do echo "// submission $i" >>"$file"; done
done

# In the background: lists the GPUs that have programs on them, ten times per second.
nvidia-smi --query-compute-apps=gpu_uuid --format=csv,noheader --loop-ms=100 >"$work/seen" 2>/dev/null &

grade() { # grade OUT OPTION…
  local out=$1
  shift
  "$warpgrade" grade "$work/class" --lab "$lab" --out "$work/$out" --device cuda "$@" >"$work/$out.log" 2>&1 ||
    { cat "$work/$out.log"; fail "grading into $out"; }
}

timed() { # timed NAME COMMAND…
  local name=$1 start end
  shift
  : >"$work/seen"
  start=$(date +%s.%N)
  "$@"
  end=$(date +%s.%N)
  awk -v n="$name" -v s="$start" -v e="$end" 'BEGIN {printf "%s: %.1f s", n, e - s}'
  echo ", programs seen $(tr -d '\0' <"$work/seen" | grep -c '^GPU-' || true) times on $(tr -d '\0' <"$work/seen" | grep '^GPU-' | sort -u | wc -l) GPUs"
}

passed() { # OUT: the number of graded submissions
  grep -c '"status": "graded"' "$work/$1/summary.json"
}

both() {
  grade together-1 &
  grade together-2
  wait $!
}

gpus=$(nvidia-smi --query-gpu=uuid --format=csv,noheader | wc -l)
((gpus > 1)) || fail "this machine has $gpus GPU"
timed "one GPU" grade one --gpus 0
timed "all $gpus GPUs" grade all
used=$(tr -d '\0' <"$work/seen" | grep '^GPU-' | sort -u | wc -l)
((used == gpus)) || fail "$used of $gpus GPUs were used"
timed "two graders at the same time" both
for out in one all together-1 together-2; do
  [[ $(passed "$out") == "$submissions" ]] || fail "$out: $(passed "$out") of $submissions graded"
done
diff <(cut -d, -f1-5 "$work/one/gradebook.csv") <(cut -d, -f1-5 "$work/all/gradebook.csv") ||
  echo "points differ: see whether a measurement was too close to a threshold"
if "$warpgrade" grade "$work/class" --lab "$lab" --out "$work/none" --device cuda --gpus GPU-none >/dev/null 2>&1; then
  fail "a GPU that does not exist was accepted"
fi
echo "all held"
