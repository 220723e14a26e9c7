#include "harness/adapters.hpp"

#include <map>

namespace grader::harness {

Adapter find_adapter(const std::string& name) {
  static const std::map<std::string, Adapter> adapters{
#define WARPGRADE_WORKLOAD(name) {#name, call_##name},
#include "registered_workloads.inc"
#undef WARPGRADE_WORKLOAD
  };
  const auto found = adapters.find(name);
  return found == adapters.end() ? nullptr : found->second;
}

}  // namespace grader::harness
