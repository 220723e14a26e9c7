#!/usr/bin/env bash
# profile.sh OUT [course | labs | lab_NN | PROGRAM]…: profiles the named programs (programs.sh; default: all) with
# Nsight Compute on this machine's GPU. Writes OUT/PROGRAM.csv for each as soon as it is complete; nsight_table.sh
# makes a table from these files. Exit status 1 if a program failed or took longer than two minutes. Takes some
# minutes. Needs nvcc, ncu and the right to read performance counters.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=programs.sh
. "$here/programs.sh"
out=${1:?usage: profile.sh OUT [course | labs | lab_NN | PROGRAM]…}
shift
[ $# -gt 0 ] || set -- labs course textures
mapfile -t programs < <(programs_of "$@")
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ncu=$(command -v ncu || true)
for installed in /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu; do
  if [ -z "$ncu" ] && [ -x "$installed" ]; then ncu=$installed; fi
done
if [ -z "$ncu" ]; then
  echo "ncu is not installed; it comes with the CUDA Toolkit, as package nsight-compute" >&2
  exit 3
fi

compile_on_gpu "$work" "${programs[@]}" &
compiling=$!

# Names of metrics differ between GPUs: metrics that this GPU lacks are left out, with a message. --query-metrics lists
# metrics without their last parts; it does not list launch__ metrics and the theoretical occupancy.
timeout 60 "$ncu" --query-metrics >"$work/known" 2>&1 || true  # it can fail after listing them
if ! grep -q '^sm__' "$work/known"; then
  tail -n 5 "$work/known" >&2
  echo "profile.sh: ncu --query-metrics lists no metric of an SM: is there a GPU, and may you read its counters?" >&2
  exit 1
fi
metrics=
while read -r metric; do
  if [[ $metric == launch__* || $metric == sm__maximum_warps_* ]] ||
    grep -q "^${metric%%.*}[[:space:]]" "$work/known"; then
    metrics+=${metrics:+,}$metric
  else
    echo "no metric $metric on this GPU" >&2
  fi
done <"$here/nsight_metrics.txt"

# Clocks are not fixed, because counts do not depend on them. Caches are emptied before each kernel. The course program
# writes its results to the named file; the labs' programs ignore this argument.
profile() { # profile PROGRAM
  timeout --kill-after=5 120 "$ncu" --clock-control none --cache-control all --csv --print-units base \
    --print-kernel-base mangled --metrics "$metrics" --log-file "$work/$1.csv" "$work/$1" "$work/$1.txt" \
    >"$work/$1.log" 2>&1 && mv "$work/$1.csv" "$out"
}

wait "$compiling" || true
failed=()
for program in "${programs[@]}"; do
  if profile "$program"; then
    echo "$program: $(grep -c '^"[0-9]' "$out/$program.csv" || true) rows"
  else
    failed+=("$program")
    tail -n 5 "$work/$program.csv" "$work/$program.log" >&2 || true
  fi
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
