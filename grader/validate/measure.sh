#!/usr/bin/env bash
# measure.sh OUT [kernel_times | overlap | labs | lab_NN | PROGRAM]…: measures the times of the named programs
# (programs.sh; default: all) on this machine's GPU. Writes OUT/PROGRAM.csv for each as soon as it is complete, and
# OUT/gpu.txt. Exit status 1 if a program failed or took longer than a minute. Takes about a minute. Needs nvcc and a
# GPU, no network.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=programs.sh
. "$here/programs.sh"
out=${1:?usage: measure.sh OUT [kernel_times | overlap | labs | lab_NN | PROGRAM]…}
shift
[ $# -gt 0 ] || set -- kernel_times labs overlap
mapfile -t programs < <(programs_of "$@")
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

print_clocks() { # print_clocks FIELDS
  nvidia-smi --query-gpu="$1" --format=csv >>"$out/gpu.txt" || true
}

measure_overlap() {
  local rounds setting
  echo "issue,streams,chunks,rounds,ms"
  for rounds in 1 64 512 4096; do
    for setting in "depth-first 1" "depth-first 2" "breadth-first 2" "depth-first 4" "breadth-first 4"; do
      # shellcheck disable=SC2086
      timeout 60 "$work/overlap" $setting "$rounds" $((1 << 22)) 4 9 || return
    done
  done
}

measure() { # measure PROGRAM: writes its times to OUT/PROGRAM.csv
  case $1 in
    overlap) measure_overlap ;;
    lab_*) timeout 60 "$work/$1" times "${1##*_}" ;;
    *) timeout 60 "$work/$1" ;;
  esac >"$work/times" && mv "$work/times" "$out/$1.csv"
}

compile_on_gpu "$work" "${programs[@]}"
rm -f "$out/gpu.txt"
print_clocks name,driver_version,clocks.sm,clocks.max.sm,clocks.mem
failed=()
for program in "${programs[@]}"; do measure "$program" || failed+=("$program"); done
print_clocks clocks.sm,clocks.mem,clocks_event_reasons.active

if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
