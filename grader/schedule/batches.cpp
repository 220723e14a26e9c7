#include "schedule/batches.hpp"

#include <algorithm>
#include <map>

namespace grader {

std::vector<std::vector<std::size_t>> batches_of(const std::vector<std::optional<std::string>>& entries) {
  std::map<std::string, std::vector<std::size_t>> of_entry;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i]) of_entry[*entries[i]].push_back(i);
  std::vector<std::vector<std::size_t>> batches;
  for (auto& [entry, cases] : of_entry)
    if (cases.size() > 1) batches.push_back(std::move(cases));
  // The longest first, so that the threads end at about the same time.
  std::stable_sort(batches.begin(), batches.end(),
                   [](const auto& one, const auto& other) { return one.size() > other.size(); });
  return batches;
}

}  // namespace grader
