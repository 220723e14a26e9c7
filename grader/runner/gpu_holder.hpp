// Keeps a real GPU initialised between the programs of a grading run. NVIDIA's driver registers a GPU with
// its memory manager for the first process and removes it with the last: on an H200, 0.1 s of each program's
// start, which measurements wait for. The holder is the kit's own program and has no context, so it disturbs
// no measurement. Covered by runner/gpu_holder_test.cpp.
#pragma once

#include <optional>

#include "runner/program.hpp"

namespace grader {

class GpuHolder {
 public:
  /// `job` runs the harness with kHold; its limit of wall-clock time is replaced. Without the holder,
  /// programs only start more slowly, so a failure is ignored.
  GpuHolder(const Sandbox& sandbox, BoxJob job);
  ~GpuHolder();
  GpuHolder(const GpuHolder&) = delete;
  GpuHolder& operator=(const GpuHolder&) = delete;

  /// Ends the program. nullopt: it could not be started.
  std::optional<BoxResult> finish();

 private:
  std::optional<Program> program_;
};

}  // namespace grader
