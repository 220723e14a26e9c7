// One adapter for each workload (workloads/<name>/adapter.cpp): passes a job's arrays and scalars to the
// student's function with the workload's signature. The build finds the adapters by their folders.
#pragma once

#include <string>

#include "harness/calls.hpp"
#include "harness/job.hpp"
#include "harness/link.hpp"

namespace grader::harness {

using Adapter = Answer (*)(const Functions& functions, Job& job, Link& link);

/// nullptr if there is no adapter of that name.
Adapter find_adapter(const std::string& name);

#define WARPGRADE_WORKLOAD(name) Answer call_##name(const Functions& functions, Job& job, Link& link);
#include "registered_workloads.inc"
#undef WARPGRADE_WORKLOAD

}  // namespace grader::harness
