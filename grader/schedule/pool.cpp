#include "schedule/pool.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace grader {

void run_jobs(unsigned threads, std::size_t count, const std::atomic<bool>& stop,
              const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    while (!stop) {
      const std::size_t mine = next++;
      if (mine >= count) return;
      job(mine);
    }
  };
  std::vector<std::jthread> helpers;  // joined at the end of the scope
  const std::size_t wanted = std::min<std::size_t>(std::max(threads, 1U), count);
  for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
  work();
}

}  // namespace grader
