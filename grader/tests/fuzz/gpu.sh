#!/usr/bin/env bash
# gpu.sh [COUNT [FIRST_SEED]]: compares this machine's GPU with the fuzzer's reference: every form alone with 512 sets of
# operands, then COUNT random kernels (default 100). Prints the differences, for a form with its name and operands.
# Needs nvcc, g++ and a GPU. NVCC="warpgrade nvcc" and RUN="warpgrade run" compare the virtual GPU instead.
# Kernels are assembled without optimisation, because CUDA 13.0's optimiser has faults (assembler_faults.cu).
# NVCC="nvcc -arch=native" optimises.
# Exit status: 0 no differences, 1 some, 2 the GPU failed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
count=${1:-100}
first=${2:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra nvcc <<<"${NVCC:-nvcc -arch=native -Xptxas -O0}"
read -ra run <<<"${RUN:-}"

objects=()
for source in forms_bit forms_compare forms_convert forms_float forms_integer generate interpret ptx_body random; do
  g++ -std=c++20 -O1 -ffp-contract=off -c -o "$work/$source.o" "$here/$source.cpp" &
  objects+=("$work/$source.o")
done
wait
g++ -std=c++20 -O1 -o "$work/export" "$here/export_cuda.cpp" "${objects[@]}"
"$work/export" "$first" "$count" >"$work/kernels.cuh"
"${nvcc[@]}" -std=c++20 -O1 -I "$work" -I "$here" -o "$work/compare" "$here/compare_cuda.cu" "${objects[@]}"
"${run[@]}" "$work/compare"
