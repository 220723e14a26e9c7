#!/usr/bin/env bash
# run.sh BUILD [N] [ROUNDS]: prints the table of grader/doc/decisions/0034-native-code.md.
#
# Translates four kernels of the benchmark from PTX to C++, compiles them with g++ and, if it is installed, clang++, and
# runs them in turn with the interpreter: N x N products, and N * N * 16 elements of the others (512 by default). The
# first launch of each must give the CPU's bits, the interpreter's counters and the accesses that the interpreter's
# checks record; otherwise the script ends with 1. "plain" is clang++ on code without scalars in which every access
# checks its own addresses. Also prints CPU seconds of the compilers, and those of LLVM's ORC where its headers are
# installed (Debian's llvm-14-dev). BUILD is a build folder of the preset `virtual`; the processor needs AVX2 and FMA.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD [N] [ROUNDS]}" && pwd)
work=$build/native-spike
kernels=$here/../../tests/kernels/vgpu
names=()
engines=("g++=$work/gcc")
mkdir -p "$work/gcc"
if command -v clang++ >/dev/null; then
  mkdir -p "$work/clang" "$work/plain"
  engines+=("clang++=$work/clang" "plain=$work/plain")
fi

cmake --build "$build" --target native-spike >/dev/null

orc=$(command -v llvm-config-14 || true)
if [ -n "$orc" ] && command -v clang++-14 >/dev/null; then
  # shellcheck disable=SC2046 # words are flags
  clang++-14 -O1 -std=c++17 $("$orc" --cppflags) "$here/orc_time.cpp" -o "$work/orc-time" \
    $("$orc" --ldflags --libs orcjit native passes irreader)
fi

options=(-std=c++20 -march=native -ffp-contract=off -fno-strict-aliasing -fPIC "-I$here")
compile() { # compile FOLDER KERNEL LEVEL COMPILER… : prints the compiler's CPU seconds
  local folder=$1 kernel=$2 level=$3
  shift 3
  /usr/bin/time -f "compile $kernel, level $level, $(basename "$folder"): %U s" "$@" "${options[@]}" -shared \
    "-DNATIVE_LEVEL=$level" "$work/$kernel.cpp" -o "$work/$folder/$kernel-$level.so" 2>&1
}
for source in matmul:tiled reduction:tree streaming:stream matmul:naive; do
  kernel=${source#*:}
  names+=("$kernel")
  python3 -B "$here/translate.py" "$kernels/${source%:*}.ptx" "$kernel" >"$work/$kernel.cpp"
  for level in 0 1 2; do
    compile gcc "$kernel" $level g++ -O3
    if command -v clang++ >/dev/null; then compile clang "$kernel" $level clang++ -O2; fi
  done
  if [ -x "$work/orc-time" ]; then
    clang++-14 "${options[@]}" -O2 -Xclang -disable-llvm-passes -emit-llvm -DNATIVE_LEVEL=1 -c "$work/$kernel.cpp" \
      -o "$work/$kernel.bc"
    "$work/orc-time" "$work/$kernel.bc"
  fi
  if ! command -v clang++ >/dev/null; then continue; fi
  python3 -B "$here/translate.py" "$kernels/${source%:*}.ptx" "$kernel" --plain >"$work/$kernel.cpp"
  for level in 0 1 2; do compile plain "$kernel" $level clang++ -O2 >/dev/null; done
done
"$build/bin/native-spike" "${2:-512}" "${3:-7}" "${names[@]}" "${engines[@]}"
