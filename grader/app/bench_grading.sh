#!/usr/bin/env bash
# bench_grading.sh WARPGRADE KIT [SUBMISSIONS]: times grading and compares it with the compiler alone.
#
#   1. `check` of the solution, compile included, with an empty build cache (best of three);
#   2. `grade` of SUBMISSIONS (default 200): the lab's right and wrong solutions in turn, each with its own comment;
#   3. `nvcc -c` of the same files on the same cores, and the ratio of 2 to 3.
# Prints wall times in seconds. This is no test, because times depend on the machine and its other load.
set -euo pipefail

warpgrade=$1
kit=$2
lab=02-tiled-matmul
submissions=${3:-200}
cores=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seconds() { # seconds COMMAND…: prints the wall time of the command; exits if the command fails
  local start end
  start=$(date +%s.%N)
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  end=$(date +%s.%N)
  echo "$start $end" | awk '{printf "%.2f", $2 - $1}'
}

make_class() {
  mapfile -t sources < <(find "$kit/solutions/$lab" -name '*.cu' ! -name does_not_compile.cu ! -path '*/challenge/*' | sort)
  for i in $(seq -w 1 "$submissions"); do
    local folder=$work/class/s$i/$lab
    mkdir -p "$folder"
    { cat "${sources[$((10#$i % ${#sources[@]}))]}"; echo "// submission $i"; } >"$folder/tiled_matmul.cu"
  done
}

compile_all() {
  find "$work/class" -name '*.cu' -print0 | xargs -0 -P "$cores" -I{} \
    nvcc -c -std=c++17 -O3 -lineinfo -gencode arch=compute_80,code=compute_80 -Xcompiler -fPIC \
    -I "$kit/labs/include" -o {}.o {}
}

best=$(for i in 1 2 3; do
  seconds "$warpgrade" check "$lab" --source "$kit/solutions/$lab/tiled_matmul.cu" --device virtual \
    --build-cache "$work/cache$i"
  echo
done | sort -n | head -n 1)
echo "check of the solution, compile included: $best s (best of 3, $cores cores)"

make_class
graded=$(seconds "$warpgrade" grade "$work/class" --out "$work/out" --device virtual)
tail -n 4 "$work/log"
echo "grade of $submissions submissions: $graded s"

if command -v nvcc >/dev/null; then
  compiled=$(seconds compile_all)
  echo "nvcc -c alone for the same files: $compiled s"
  echo "$graded $compiled" | awk '{printf "ratio: %.2f (target: at most 1.5)\n", $1 / $2}'
else
  echo "nvcc is not installed: nothing to compare with"
fi
