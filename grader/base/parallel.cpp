#include "base/parallel.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace grader {

void in_parallel(std::size_t count, std::size_t least,
                 const std::function<void(std::size_t begin, std::size_t end)>& work) {
  const std::size_t threads = std::clamp<std::size_t>(count / std::max<std::size_t>(least, 1), 1,
                                                      std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t)
    others.emplace_back(work, count * t / threads, count * (t + 1) / threads);
  work(0, count / threads);
}

}  // namespace grader
