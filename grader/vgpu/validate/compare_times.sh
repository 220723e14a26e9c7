#!/usr/bin/env bash
# compare_times.sh BUILD [MEASURED.csv]: writes handout/instructor/times-vs-h200.md: the times that the virtual GPU's
# h200 profile gives, beside those measured on an H200 (h200_times.csv, from measure.sh). BUILD is a build folder of the
# kit with the targets warpgrade and times-vs-gpu. Takes some minutes. Products and lab 02 go up to 1024 x 1024.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
kit=$(cd "$here/../../.." && pwd)
build=${1:?usage: compare_times.sh BUILD [MEASURED.csv]}
measured=${2:-$here/h200_times.csv}
table=$kit/handout/instructor/times-vs-h200.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program() { # program NAME SOURCE…
  "$build/bin/warpgrade" nvcc -O3 -std=c++17 -arch=sm_90 -I "$kit/labs/include" -o "$work/$1" "${@:2}"
}
program kernel_times "$here/kernel_times.cu"
program solution "$here/lab_02_times.cu" "$kit/solutions/02-tiled-matmul/tiled_matmul.cu"
program baseline "$here/lab_02_times.cu" "$kit/grader/workloads/tiled_matmul/naive.cu"

reports=()
model() { # model NAME PROGRAM ARGUMENT…
  "$build/bin/warpgrade" run --profile h200 --no-checks --report "$work/$1.json" "$work/$2" "${@:3}" \
    --repeats 1 --warm-ups 0 >>"$work/modelled.csv" 2>"$work/$1.log" || { cat "$work/$1.log" >&2; exit 1; }
  reports+=("$work/$1.json")
}
for group in launch copy transpose reduce matvec histogram minplus others chain latency transfer; do
  model "$group" kernel_times --only "$group,"
done
model matmul kernel_times --only matmul, --most 1024
model solution solution solution --most 1024
model baseline baseline baseline --most 1024

# Rounds of 4096 would take minutes and show nothing else.
program overlap "$here/overlap.cu"
for rounds in 1 64 512; do
  for setting in "depth-first 1" "depth-first 2" "breadth-first 2" "depth-first 4" "breadth-first 4"; do
    # shellcheck disable=SC2086
    "$build/bin/warpgrade" run --profile h200 --no-checks "$work/overlap" $setting "$rounds" $((1 << 22)) 4 >>"$work/overlap.csv"
  done
done

cat >"$work/table" <<'END'
# Modelled times beside an H200's

Made by `grader/vgpu/validate/compare_times.sh`; [validation.md](validation.md) says how the H200 was measured and what
the misses mean. Times are between two events around one launch, with cold caches, in microseconds.

END
"$build/bin/times-vs-gpu" "$measured" "$work/modelled.csv" "${reports[@]}" >>"$work/table"
cat >"$work/overlaps" <<'END'

## Overlaps

The lectures' vector addition in four chunks (`overlap.cu`); more rounds make the kernels longer.

| issue | streams | rounds | measured ms | modelled ms | ratio |
|---|---:|---:|---:|---:|---:|
END
awk -F, 'FNR == NR { measured[$1, $2, $3, $4] = $5; next }
  { m = measured[$1, $2, $3, $4]; printf "| %s | %d | %d | %.3f | %.3f | %.2f |\n", $1, $2, $4, m, $5, $5 / m }' \
  "$here/h200_overlap.csv" "$work/overlap.csv" >>"$work/overlaps"
cat "$work/table" "$work/overlaps" >"$table"
echo "$table"
