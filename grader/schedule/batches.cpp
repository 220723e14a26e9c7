#include "schedule/batches.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace grader {

std::vector<std::vector<std::size_t>> batches_of(const std::vector<std::optional<BatchCase>>& cases) {
  struct Function {
    std::vector<std::size_t> batch;
    bool has_first = false;  ///< the batch begins with a case that looks for state
  };
  std::map<std::string, Function> functions;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i]) continue;
    auto& [batch, has_first] = functions[cases[i]->entry];
    const bool is_first = cases[i]->looks_for_state && !std::exchange(has_first, true);
    batch.insert(is_first ? batch.begin() : batch.end(), i);
  }
  std::vector<std::vector<std::size_t>> batches;
  for (auto& [entry, function] : functions)
    if (function.batch.size() > 1) batches.push_back(std::move(function.batch));
  // The longest first, so that the threads end at about the same time.
  std::stable_sort(batches.begin(), batches.end(),
                   [](const auto& one, const auto& other) { return one.size() > other.size(); });
  return batches;
}

}  // namespace grader
