#!/usr/bin/env bash
# compare_times.sh BUILD [MEASURED.csv]: writes grader/validate/times-vs-h200.md: the modelled times of the virtual
# GPU's h200 profile compared with times measured on an H200 (h200_times.csv, from measure.sh). BUILD is a build folder
# of the kit with the targets warpgrade and times-vs-gpu. Takes some minutes; sizes that would take longer are left out.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=programs.sh
. "$here/programs.sh"
build=${1:?usage: compare_times.sh BUILD [MEASURED.csv]}
measured=${2:-$here/h200_times.csv}
table=$kit/grader/validate/times-vs-h200.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program() { # program NAME
  compile "$1" "$work/$1" "$build/bin/warpgrade" nvcc -arch=sm_90
}

modelled=()
model() { # model NAME PROGRAM ARGUMENT…
  "$build/bin/warpgrade" run --profile h200 --no-checks --report "$work/$1.json" "$work/$2" "${@:3}" \
    --repeats 1 --warm-ups 0 >"$work/$1.csv" 2>"$work/$1.err" || { cat "$work/$1.err" >&2; exit 1; }
  modelled+=("$work/$1.csv")
}
program kernel_times
for group in launch copy transpose reduce matvec histogram minplus others chain latency texture transfer; do
  model "$group" kernel_times --only "$group,"
done
model matmul kernel_times --only matmul, --most 1024
for lab in "${labs[@]}"; do
  case $lab in
    lab_01 | lab_02 | lab_06) most=1024 ;;
    lab_05) most=4194304 ;;
    *) most=0 ;;  # all sizes
  esac
  for name in solution baseline; do
    program "${lab}_$name"
    model "${lab}_$name-times" "${lab}_$name" times "$name" --most "$most"
  done
done

# 4096 rounds would take minutes and give no further information.
program overlap "$here/overlap.cu"
for rounds in 1 64 512; do
  for setting in "depth-first 1" "depth-first 2" "breadth-first 2" "depth-first 4" "breadth-first 4"; do
    # shellcheck disable=SC2086
    "$build/bin/warpgrade" run --profile h200 --no-checks "$work/overlap" $setting "$rounds" $((1 << 22)) 4 >>"$work/overlap.csv"
  done
done

cat >"$work/table" <<'END'
# Modelled times compared with an H200

Made by `grader/validate/compare_times.sh`; [validation.md](../doc/validation.md) describes how the H200 was measured
and what the misses mean. Times are between two events around one launch, or around a call of a lab's function, with
cold caches, in microseconds.

END
"$build/bin/times-vs-gpu" "$measured" "${modelled[@]}" >>"$work/table"
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
