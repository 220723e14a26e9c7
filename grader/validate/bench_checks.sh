#!/usr/bin/env bash
# bench_checks.sh BENCH_CHECKS [KERNEL…]: what the checks of the virtual GPU cost for each kernel of compute_kernels.cuh
# and memory_kernels.cuh, or for those whose names contain one of the words: CPU times of one thread, and their ratio.
# Needs nvcc. Prints a table; this is not a test.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bench=${1:?usage: bench_checks.sh BENCH_CHECKS [KERNEL…]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc -ptx -O3 -std=c++17 -arch=compute_80 -o "$work/kernels.ptx" "$here/bench_checks.cu"
"$bench" "$work/kernels.ptx" "${@:2}"
