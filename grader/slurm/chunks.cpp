#include "slurm/chunks.hpp"

#include <algorithm>
#include <cassert>

namespace grader::slurm {
namespace {

constexpr std::size_t kFewest = 5;       // about half a minute of work
constexpr std::size_t kMostTasks = 500;  // Slurm starts them all within a minute or two
constexpr std::size_t kRetryDivisor =
    4;  // 16, 4, 1: after two attempts, every item of a usual chunk has its own task
constexpr unsigned kAloneFromAttempt = 2;  // counted from 0

}  // namespace

std::size_t items_per_task(std::size_t items) {
  return std::max(kFewest, (items + kMostTasks - 1) / kMostTasks);
}

std::size_t items_per_retry(std::size_t first, unsigned attempt) {
  if (attempt == 0) return first;
  return attempt >= kAloneFromAttempt ? 1 : std::max<std::size_t>(1, first / kRetryDivisor);
}

std::vector<Items> chunks(const Items& items, std::size_t size) {
  assert(size > 0);
  std::vector<Items> result;
  for (std::size_t start = 0; start < items.size(); start += size) {
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(start);
    const std::size_t count = std::min(size, items.size() - start);
    Items& chunk = result.emplace_back(first, first + static_cast<std::ptrdiff_t>(count));
    std::sort(chunk.begin(), chunk.end());
  }
  return result;
}

}  // namespace grader::slurm
