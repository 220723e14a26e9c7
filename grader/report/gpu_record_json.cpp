#include "report/gpu_record_json.hpp"

#include <limits>

#include <nlohmann/json.hpp>

namespace grader {
namespace {

unsigned small_number(const JsonNode& node, const std::string& key) {
  return static_cast<unsigned>(node.at(key).integer(0, std::numeric_limits<int>::max()));
}

}  // namespace

nlohmann::ordered_json gpu_record_json(const GpuRecord& record) {
  return {{"name", record.name},
          {"uuid", record.uuid},
          {"driver", record.driver},
          {"sm_mhz", record.sm_mhz},
          {"memory_mhz", record.memory_mhz},
          {"power_cap_w", record.power_cap_w},
          {"temperature_c", record.temperature_c},
          {"throttled_by", record.throttled_by},
          {"ecc", record.ecc ? nlohmann::ordered_json(*record.ecc) : nlohmann::ordered_json(nullptr)},
          {"other_processes", record.other_processes},
          {"busy_processes", record.busy_processes}};
}

GpuRecord read_gpu_record(const JsonNode& node) {
  GpuRecord read;
  read.name = node.at("name").any_text();
  read.uuid = node.at("uuid").any_text();
  read.driver = node.at("driver").any_text();
  read.sm_mhz = small_number(node, "sm_mhz");
  read.memory_mhz = small_number(node, "memory_mhz");
  read.power_cap_w = small_number(node, "power_cap_w");
  read.temperature_c = small_number(node, "temperature_c");
  for (const JsonNode& reason : node.at("throttled_by").elements())
    read.throttled_by.push_back(reason.any_text());
  if (const JsonNode ecc = node.at("ecc"); !ecc.is_null()) read.ecc = ecc.boolean();
  read.other_processes = small_number(node, "other_processes");
  read.busy_processes = small_number(node, "busy_processes");
  return read;
}

}  // namespace grader
