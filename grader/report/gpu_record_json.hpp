// The state of a real GPU during a measurement, in result.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lab/json_reader.hpp"
#include "runner/gpu_record.hpp"

namespace grader {

nlohmann::ordered_json gpu_record_json(const GpuRecord& record);

/// Throws JsonProblem.
GpuRecord read_gpu_record(const JsonNode& node);

}  // namespace grader
