#!/usr/bin/env bash
# compare_counters.sh BUILD: writes grader/validate/counters-vs-nsight.md: the virtual GPU's counters compared with
# those that Nsight Compute measured on an H200 (nsight_h200.csv), for the course kernels and the labs' solutions and
# baselines. BUILD is a build folder of the kit with the targets warpgrade and counters-vs-nsight.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=programs.sh
. "$here/programs.sh"
build=${1:?usage: compare_counters.sh BUILD}
table=$kit/grader/validate/counters-vs-nsight.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -t programs < <(programs_of course labs textures)
for program in "${programs[@]}"; do
  compile "$program" "$work/$program" "$build/bin/warpgrade" nvcc -lineinfo
done

cat >"$work/table" <<'END'
# Counters compared with Nsight Compute

Made by `grader/validate/compare_counters.sh`; [validation.md](../doc/validation.md) describes how the H200 was
profiled. Our counters count PTX instructions, Nsight's count machine instructions. All launches of a kernel are added
up. Bounds: global loads and stores equal, shared wavefronts within 10 %, counters that depend on the assembler within
10 or 30 %.

END
"$build/bin/counters-vs-nsight" "$here/nsight_h200.csv" "$work" >>"$work/table"
cp "$work/table" "$table"
echo "$table"
