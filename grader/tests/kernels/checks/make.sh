#!/bin/sh
# Generates NAME_nvcc.ptx and NAME_clang.ptx from every NAME.cu in this folder; if a compiler is missing, its files are
# unchanged. Removes the machine's paths from the files. Usage: sh make.sh
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
  name=${source%.cu}
  if command -v nvcc > /dev/null; then
    nvcc -ptx -lineinfo -arch=compute_80 -O3 "$source" -o "${name}_nvcc.ptx"
  fi
  if command -v clang > /dev/null; then
    clang -x cuda --cuda-device-only -S -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -Wno-unknown-cuda-version \
      -Xclang -target-feature -Xclang +ptx75 -O3 -g1 -I ../../../vgpu/cudart/include "$source" -o "${name}_clang.ptx"
  fi
done
sed -i 's#^\(\t\.file\t*[0-9]* "\).*/#\1#' ./*.ptx
