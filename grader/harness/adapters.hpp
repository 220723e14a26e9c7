// One adapter for each signature that students write: hands a job's arrays and scalars to the function. Each
// lab has a file of its own (tiled_matmul.cpp, …).
#pragma once

#include <string>

#include "harness/job.hpp"
#include "harness/link.hpp"

namespace grader::harness {

/// `entry` is the address of the student's function.
using Adapter = Answer (*)(void* entry, const Job& job, Link& link);

/// nullptr when there is none of that name.
Adapter find_adapter(const std::string& name);

Answer call_tiled_matmul(void* entry, const Job& job, Link& link);

}  // namespace grader::harness
