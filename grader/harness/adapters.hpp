// One adapter for each workload (workloads/<name>/adapter.cpp): passes a job's arrays and scalars to the
// student's function with the workload's signature. The build finds the adapters by their folders.
#pragma once

#include <string>

#include "harness/job.hpp"
#include "harness/link.hpp"

namespace grader::harness {

/// `entry` is the address of the student's function.
using Adapter = Answer (*)(void* entry, Job& job, Link& link);

/// nullptr if there is no adapter of that name.
Adapter find_adapter(const std::string& name);

/// `entry` as a pointer to a function like `Function`: as_function<decltype(::saxpy)>(entry).
template <class Function>
Function* as_function(void* entry) {
  return reinterpret_cast<Function*>(entry);
}

#define WARPGRADE_WORKLOAD(name) Answer call_##name(void* entry, Job& job, Link& link);
#include "registered_workloads.inc"
#undef WARPGRADE_WORKLOAD

}  // namespace grader::harness
