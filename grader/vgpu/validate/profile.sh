#!/usr/bin/env bash
# profile.sh OUT: what Nsight Compute counts for the course kernels and for lab 02's solution and baseline, on this
# machine's GPU. Leaves OUT/course.csv, OUT/lab_02_solution.csv and OUT/lab_02_baseline.csv for compare-counters.
# Takes one to three minutes. Needs nvcc, ncu and the right to read performance counters.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
kit=$here/../../..
out=${1:?usage: profile.sh OUT}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ncu=$(command -v ncu || true)
for installed in /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu; do
  if [ -z "$ncu" ] && [ -x "$installed" ]; then ncu=$installed; fi
done
if [ -z "$ncu" ]; then
  echo "ncu is not here; it comes with the CUDA Toolkit, as package nsight-compute" >&2
  exit 3
fi

# Names of metrics change from GPU to GPU: those that this one lacks are left out, with a word. --query-metrics knows
# them without their last parts; launch__ ones it does not list at all.
"$ncu" --query-metrics >"$work/known" 2>&1 || true
metrics=
while read -r metric; do
  if [[ $metric == launch__* ]] || grep -q "^${metric%%.*}[[:space:]]" "$work/known"; then
    metrics+=${metrics:+,}$metric
  else
    echo "no metric $metric on this GPU" >&2
  fi
done <"$here/nsight_metrics.txt"

build() { # build PROGRAM SOURCE…
  nvcc -O3 -std=c++17 -arch=native -lineinfo -I "$kit/labs/include" -I "$kit/grader" -o "$work/$1" "${@:2}"
}

# Clocks as they are: counts do not depend on them. Caches are emptied before each kernel.
profile() { # profile PROGRAM ARGUMENT…
  local name=$1
  shift
  "$ncu" --clock-control none --cache-control all --csv --print-units base --print-kernel-base mangled \
    --metrics "$metrics" --log-file "$out/$name.csv" "$work/$name" "$@" >"$out/$name.log" 2>&1 ||
    { tail -n 5 "$out/$name.csv" "$out/$name.log" >&2; exit 1; }
  echo "$out/$name.csv: $(grep -c '^"' "$out/$name.csv") rows"
}

build lab_02_solution "$here/lab_02.cu" "$kit/solutions/02-tiled-matmul/tiled_matmul.cu"
build lab_02_baseline "$here/lab_02.cu" "$kit/grader/workloads/tiled_matmul/naive.cu"
build course "$kit/grader/tests/kernels/course/course.cu"
profile lab_02_solution
profile lab_02_baseline
profile course "$out/course-results.txt"
