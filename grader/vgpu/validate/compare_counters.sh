#!/usr/bin/env bash
# compare_counters.sh BUILD: writes handout/instructor/counters-vs-nsight.md: the virtual GPU's counters beside those
# that Nsight Compute took on an H200 (nsight_h200.csv), for the course kernels and lab 02's solution and baseline.
# BUILD is a build folder of the kit with the targets warpgrade and counters-vs-nsight.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
kit=$(cd "$here/../../.." && pwd)
build=${1:?usage: compare_counters.sh BUILD}
table=$kit/handout/instructor/counters-vs-nsight.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program() { # program NAME SOURCE…
  "$build/bin/warpgrade" nvcc -O3 -std=c++17 -lineinfo -I "$kit/labs/include" -I "$kit/grader" -o "$work/$1" "${@:2}"
}
program course "$kit/grader/tests/kernels/course/course.cu"
program lab_02_solution "$here/lab_02.cu" "$kit/solutions/02-tiled-matmul/tiled_matmul.cu"
program lab_02_baseline "$here/lab_02.cu" "$kit/grader/workloads/tiled_matmul/naive.cu"

cat >"$work/table" <<'END'
# Counters beside Nsight Compute's

Made by `grader/vgpu/validate/compare_counters.sh`; [validation.md](validation.md) says how the H200 was profiled. Ours
are counted on PTX, Nsight's on machine code. All launches of a kernel are added up. Bounds: global loads and stores
equal, shared wavefronts within 10 %, what depends on the assembler's work within 10 or 30 %.

END
"$build/bin/counters-vs-nsight" "$here/nsight_h200.csv" "$work" >>"$work/table"
cp "$work/table" "$table"
echo "$table"
