#!/usr/bin/env bash
# bench_oclgrind.sh BENCH_VGPU [--install]: compares the virtual GPU with Oclgrind, a simulator of OpenCL devices, on
# the same tiled matrix product (256 x 256) and the same tree reduction (2^20 elements), both on all cores.
#
# Both check bounds and barriers. The virtual GPU also counts everything, and in a second run searches for data races
# and reads of unwritten memory. Oclgrind's time includes the compilation of the kernel, about 0.05 s; the virtual
# GPU's time is that of the kernel only, best of five. --install installs Debian's package oclgrind if it is missing.
# Prints times and ratios; this is not a test.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bench=${1:?usage: bench_oclgrind.sh BENCH_VGPU [--install]}
cores=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! command -v oclgrind-kernel >/dev/null; then
  if [ "${2:-}" != --install ]; then
    echo "Oclgrind is not installed, nothing to compare with (apt-get install oclgrind, or WARPGRADE_BENCH_OCLGRIND=ON)"
    exit 0
  fi
  apt-get install -y -qq --no-install-recommends oclgrind >/dev/null
fi

n=256
elements=$((n * n * 16))
cat >"$work/tiled.sim" <<END
$here/oclgrind/matmul.cl
tiled
$n $n 1
16 16 1

<size=$((n * n * 4)) float fill=1>
<size=$((n * n * 4)) float fill=1>
<size=$((n * n * 4)) float fill=0>
<size=4 int fill=$n>
<size=4 int fill=$n>
<size=4 int fill=$n>
END
cat >"$work/tree.sim" <<END
$here/oclgrind/reduction.cl
tree
$elements 1 1
256 1 1

<size=$((elements * 4)) float fill=1>
<size=$((elements / 64)) float fill=0>
<size=4 int fill=$elements>
END

"$bench" "$n" "$cores" >"$work/ours"
seconds_of() { # seconds_of KERNEL PATTERN: from the first line of bench-vgpu that matches
  grep "^$1 .*$2" "$work/ours" | head -n 1 | sed 's/.*: \([0-9.]*\) s,.*/\1/'
}
for kernel in tiled tree; do
  start=$(date +%s.%N)
  oclgrind-kernel "$work/$kernel.sim" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  theirs=$(echo "$start $(date +%s.%N)" | awk '{ print $2 - $1 }')
  echo "$(seconds_of "$kernel" 'thread(s): ') $(seconds_of "$kernel" races) $theirs" |
    awk -v kernel="$kernel" -v cores="$cores" '{
      printf "%s, %d core(s): Oclgrind %.2f s\n", kernel, cores, $3
      printf "  virtual GPU %.4f s, bounds and counters: %.0f times as fast (target: at least 200)\n", $1, $3 / $1
      printf "  virtual GPU %.4f s, races and unwritten memory too: %.0f times as fast\n", $2, $3 / $2 }'
done
