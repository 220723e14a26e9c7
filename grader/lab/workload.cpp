#include "lab/workload.hpp"

#include "lab/tiled_matmul.hpp"

namespace grader {
namespace {

struct Entry {
  std::string name;
  const Workload& (*workload)();
};

const std::vector<Entry>& all_workloads() {
  static const std::vector<Entry> entries{{"tiled_matmul", tiled_matmul_workload}};
  return entries;
}

}  // namespace

const Workload* find_workload(const std::string& name) {
  for (const Entry& entry : all_workloads())
    if (entry.name == name) return &entry.workload();
  return nullptr;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Entry& entry : all_workloads()) names.push_back(entry.name);
  return names;
}

}  // namespace grader
