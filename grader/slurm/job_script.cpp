#include "slurm/job_script.hpp"

#include <array>
#include <cstdlib>

namespace grader::slurm {

std::string job_script() {
  return R"(#!/bin/sh
# A task of an array that `warpgrade grade --executor slurm` submitted; see handout/instructor/slurm.md.
PATH=/usr/bin:/bin
array=$1
shift
if [ ! -d "$array" ]; then
  echo "this node does not see $array: results must be in a folder that all nodes share" >&2
  exit 66
fi
mine="$array/$SLURM_ARRAY_TASK_ID"
exec </dev/null >>"$mine.log" 2>&1
items=$(sed -n "$((SLURM_ARRAY_TASK_ID + 2))p" <"$array/tasks")
echo "node $SLURMD_NODENAME, start ${SLURM_RESTART_COUNT:-0} of job $SLURM_JOB_ID: items $items"
[ -n "$items" ] || exit 65

env -i ${CUDA_VISIBLE_DEVICES+"CUDA_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICES"} ${TMPDIR+"TMPDIR=$TMPDIR"} \
  "$@" --jobs "${SLURM_CPUS_PER_TASK:-1}" --items "$items"
status=$?
echo "exit status $status"
if [ $status -eq 75 ]; then
  printf '%s\n' "$SLURMD_NODENAME" >"$mine.unhealthy"
fi
exit $status
)";
}

std::vector<std::string> grader_environment() {
  constexpr std::array<const char*, 7> kNames = {
      "PATH", "LANG", "LD_LIBRARY_PATH", "CUDA_HOME", "WARPGRADE_CLANG", "WARPGRADE_HOME", "WARPGRADE_NVCC"};
  std::vector<std::string> environment;
  for (const char* name : kNames)
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  return environment;
}

}  // namespace grader::slurm
