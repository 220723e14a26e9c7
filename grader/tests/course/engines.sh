#!/usr/bin/env bash
# engines.sh OUT [WARPGRADE]: runs the course kernels on every engine of this machine and compares the results.
#
#   OUT         folder for the results: cuda.txt, cuda.log (real GPU), virtual.txt, virtual.log (virtual GPU)
#   WARPGRADE   the warpgrade program, for the virtual GPU; without it only a real GPU is used
#
# If an engine is not available, its previous results are used: OUT/cuda.txt if it exists, else those of an H200 in
# h200.txt. Prints one line per output. Exit status: 0 all agree, 1 some differ, 2 nothing could be compared.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
source=$here/../kernels/course/course.cu
out=${1:?usage: engines.sh OUT [WARPGRADE]}
warpgrade=${2:-}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if command -v nvcc >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  nvcc -O3 -std=c++17 -arch="sm_$capability" -o "$work/course-cuda" "$source"
  "$work/course-cuda" "$out/cuda.txt" >"$out/cuda.log"
fi

if [ -n "$warpgrade" ]; then
  "$warpgrade" nvcc -O3 -std=c++17 -o "$work/course-virtual" "$source"
  "$warpgrade" run "$work/course-virtual" "$out/virtual.txt" >"$out/virtual.log"
fi

real=$out/cuda.txt
[ -f "$real" ] || real=$here/h200.txt
if [ ! -f "$real" ] || [ ! -f "$out/virtual.txt" ]; then
  echo "only one engine has results: nothing to compare" >&2
  exit 2
fi

"${CXX:-g++}" -std=c++20 -O1 -o "$work/compare" "$here/results.cpp" "$here/compare.cpp"
if [ -f "$out/cuda.log" ] && [ -f "$out/virtual.log" ]; then
  # Kernels print block by block, and no engine guarantees the order of blocks.
  diff <(sort "$out/cuda.log") <(grep '^hello' "$out/virtual.log" | sort) || printed=different
fi
"$work/compare" "$real" "$out/virtual.txt"
[ "${printed:-same}" = same ]
