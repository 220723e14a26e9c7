// Work that is divided over threads.
#include "base/parallel.hpp"

#include <atomic>
#include <vector>

#include "catch.hpp"

namespace parallel_test {

TEST_CASE("every element is in exactly one range, also if there are fewer elements than threads") {
  for (const std::size_t count : {0U, 1U, 7U, 1000U}) {
    std::vector<std::atomic<int>> calls(count);
    grader::in_parallel(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++calls[i];
    });
    for (const std::atomic<int>& one : calls) CHECK(one == 1);
  }
}

TEST_CASE("a range has at least the requested number of elements") {
  std::atomic<int> ranges{0};
  grader::in_parallel(100, 60, [&](std::size_t begin, std::size_t end) {
    CHECK(begin == 0);
    CHECK(end == 100);
    ++ranges;
  });
  CHECK(ranges == 1);
}

}  // namespace parallel_test
