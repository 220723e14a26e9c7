#!/usr/bin/env bash
# build.sh OUT [peers]: builds bench-solutions and the programs that it compares, in the folder OUT.
#
# Each naive.cu, taught solution and step becomes a shared library OUT/<lab>/<name>.so; `peers` adds NVIDIA's libraries.
# NVCC (default: nvcc) can be "warpgrade nvcc". NVCC_FLAGS: for example -arch=sm_90; JOBS: compilers at the same time;
# LABS: the programs of these labs only.
set -euo pipefail

kit=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
read -ra nvcc <<<"${NVCC:-nvcc} -std=c++20 -O3 -cudart shared ${NVCC_FLAGS:-} -I$kit/grader -I$kit/labs/include"

list_programs() { # prints lines "library source" for every program
  local lab workload adapter
  for lab in "$kit"/solutions/*/challenge; do
    lab=$(basename "$(dirname "$lab")")
    [[ -z ${LABS:-} || " $LABS " == *" $lab "* ]] || continue
    workload=$(sed -n 's/^  "workload": "\(.*\)",$/\1/p' "$kit/labs/$lab/lab.json")
    # Only lab 06 needs more than its own function, from the baseline and the solution as well.
    for name in naive taught; do
      adapter=$kit/grader/challenge/${workload}_$name.cu
      if [ -f "$adapter" ]; then
        echo "$lab/$name $adapter"
      elif [ $name = naive ]; then
        echo "$lab/naive $kit/grader/workloads/$workload/naive.cu"
      else
        echo "$lab/taught $(echo "$kit/solutions/$lab"/*.cu)"
      fi
    done
    for step in "$kit/solutions/$lab"/challenge/*.cu; do
      echo "$lab/$(basename "$step" .cu) $step"
    done
  done
}

build_library() { # build_library LIBRARY SOURCE [LINKER ARGUMENTS…]
  mkdir -p "$(dirname "$out/$1")"
  "${nvcc[@]}" -shared -Xcompiler -fPIC -o "$out/$1.so" "$2" "${@:3}"
}

jobs=${JOBS:-$(nproc)}
start() { # starts a command in the background as soon as fewer than $jobs run
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  "$@" &
}

mkdir -p "$out"
cd "$kit/grader/challenge"
while read -r library source; do start build_library "$library" "$source"; done < <(list_programs)
if [ "${2:-}" = peers ]; then start build_library peers peers.cu -lcublas; fi
start "${nvcc[@]}" -o "$out/bench-solutions" main.cpp programs.cpp works.cpp device.cu limits.cu -ldl
while true; do
  status=0
  wait -n || status=$?
  if [ $status = 127 ]; then break; fi # all have ended
  if [ $status != 0 ]; then exit $status; fi
done
