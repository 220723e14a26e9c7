// Approximate functions as JSON, with the same keys in result.json and in the report of `warpgrade run`.
// Tested by report/result_json_test.cpp.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "judge/inexact_kernels.hpp"
#include "lab/json_reader.hpp"

namespace grader {

nlohmann::ordered_json to_json(const vgpu::Approximations& found);
nlohmann::ordered_json to_json(const std::vector<InexactKernel>& kernels);

/// Reads what to_json() wrote. Throws JsonProblem.
std::vector<InexactKernel> read_inexact_kernels(const JsonNode& list);

}  // namespace grader
