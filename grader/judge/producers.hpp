// The launches that a result depends on: those that stored it, those whose results they read, and so on. A
// useless launch is none of them, however much it does. Known on the virtual GPU. Pure. Covered by
// tests/judge/producers_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/job.hpp"
#include "runner/case_run.hpp"

namespace grader {

struct Producers {
  struct One {
    std::size_t launch = 0;          ///< index into SessionReport::launches
    std::uint64_t stored_bytes = 0;  ///< distinct bytes, as far as known
  };
  std::vector<One> launches;
  std::uint64_t result_bytes = 0;  ///< 0: the launches are not known to produce a result
};

/// All launches that ran, as if each stored the result.
Producers every_launch(const vgpu::cudart::SessionReport& session);

/// every_launch() if outputs are in host memory, or if it is unknown where results come from.
Producers producers_of(const CaseRun& run, const harness::Job& job);

}  // namespace grader
