#!/bin/sh
# Builds and runs the validation programs on this machine's GPU. Needs nvcc and a GPU, no network.
# usage: measure.sh OUT_DIRECTORY   writes kernel_times.csv, lab_02_times.csv, overlap.csv, gpu.txt
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kit=$here/../../..
out=${1:?usage: measure.sh OUT_DIRECTORY}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # build PROGRAM SOURCE…
  program=$1
  shift
  nvcc -O3 -std=c++17 -arch="${CUDA_ARCH:-native}" -I "$kit/labs/include" -o "$work/$program" "$@"
}
build kernel_times "$here/kernel_times.cu" &
build overlap "$here/overlap.cu" &
build solution "$here/lab_02_times.cu" "$kit/solutions/02-tiled-matmul/tiled_matmul.cu" &
build baseline "$here/lab_02_times.cu" "$kit/grader/workloads/tiled_matmul/naive.cu"
wait

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,clocks.mem --format=csv > "$out/gpu.txt" || true
"$work/kernel_times" > "$out/kernel_times.csv"
nvidia-smi --query-gpu=clocks.sm,clocks.mem,clocks_event_reasons.active --format=csv,noheader >> "$out/gpu.txt" || true
"$work/solution" solution > "$out/lab_02_times.csv"
"$work/baseline" baseline | tail -n +2 >> "$out/lab_02_times.csv"
echo "issue,streams,chunks,rounds,ms" > "$out/overlap.csv"
for rounds in 1 64 512 4096; do
  for setting in "depth-first 1" "depth-first 2" "breadth-first 2" "depth-first 4" "breadth-first 4"; do
    # shellcheck disable=SC2086
    "$work/overlap" $setting "$rounds" $((1 << 22)) 4 9 >> "$out/overlap.csv"
  done
done
