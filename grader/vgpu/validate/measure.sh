#!/bin/sh
# Builds and runs the validation programs on this machine's GPU. Needs nvcc and a GPU, no network.
# usage: measure.sh OUT_DIRECTORY   writes kernel_times.csv, overlap.csv
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: measure.sh OUT_DIRECTORY}
mkdir -p "$out"
for program in kernel_times overlap; do
  nvcc -O3 -arch="${CUDA_ARCH:-native}" -o "$out/$program" "$here/$program.cu"
done
"$out/kernel_times" > "$out/kernel_times.csv"
echo "issue,streams,chunks,rounds,ms" > "$out/overlap.csv"
for rounds in 1 64 512 4096; do
  for setting in "depth-first 1" "depth-first 2" "breadth-first 2" "depth-first 4" "breadth-first 4"; do
    for _ in 1 2 3 4 5; do
      # shellcheck disable=SC2086
      "$out/overlap" $setting "$rounds" >> "$out/overlap.csv"
    done
  done
done
