#!/usr/bin/env bash
# compare_counters.sh BUILD: writes grader/validate/counters-vs-nsight.md: the virtual GPU's counters beside those
# that Nsight Compute took on an H200 (nsight_h200.csv), for the course kernels and the labs' solutions and baselines.
# BUILD is a build folder of the kit with the targets warpgrade and counters-vs-nsight.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=programs.sh
. "$here/programs.sh"
build=${1:?usage: compare_counters.sh BUILD}
table=$kit/grader/validate/counters-vs-nsight.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -t programs < <(programs_of course labs)
for program in "${programs[@]}"; do
  compile "$program" "$work/$program" "$build/bin/warpgrade" nvcc -lineinfo
done

cat >"$work/table" <<'END'
# Counters beside Nsight Compute's

Made by `grader/validate/compare_counters.sh`; [validation.md](validation.md) says how the H200 was profiled. Ours
are counted on PTX, Nsight's on machine code. All launches of a kernel are added up. Bounds: global loads and stores
equal, shared wavefronts within 10 %, what depends on the assembler's work within 10 or 30 %.

END
"$build/bin/counters-vs-nsight" "$here/nsight_h200.csv" "$work" >>"$work/table"
cp "$work/table" "$table"
echo "$table"
