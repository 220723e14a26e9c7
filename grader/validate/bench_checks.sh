#!/usr/bin/env bash
# bench_checks.sh BENCH_CHECKS [KERNEL…]: what the checks of the virtual GPU cost for each kernel of compute_kernels.cuh,
# memory_kernels.cuh and tests/kernels/course/, or for those whose names contain one of the words: CPU times of one
# thread, and their ratio. Needs nvcc. Prints a table; this is not a test.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bench=${1:?usage: bench_checks.sh BENCH_CHECKS [KERNEL…]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for source in "$here/bench_checks.cu" "$here/../tests/kernels/course/course.cu"; do
  nvcc -ptx -O3 -std=c++17 -arch=compute_80 -o "$work/$(basename "$source" .cu).ptx" "$source"
done
"$bench" "$work/bench_checks.ptx" "$work/course.ptx" "${@:2}"
