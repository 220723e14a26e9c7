#include "schedule/pool.hpp"

#include <mutex>
#include <set>

#include "catch.hpp"

namespace pool_test {

using namespace grader;

TEST_CASE("every job runs once, on any number of threads") {
  for (const unsigned threads : {0U, 1U, 2U, 7U, 100U}) {
    std::mutex mutex;
    std::multiset<std::size_t> ran;
    const std::atomic<bool> stop{false};
    run_jobs(threads, 20, stop, [&](std::size_t i) {
      const std::lock_guard lock(mutex);
      ran.insert(i);
    });
    CHECK(ran.size() == 20);
    CHECK(std::set(ran.begin(), ran.end()).size() == 20);
  }
}

TEST_CASE("an empty list of jobs runs nothing") {
  const std::atomic<bool> stop{false};
  run_jobs(4, 0, stop, [](std::size_t) { FAIL("there is no job"); });
}

TEST_CASE("no job starts after the stop flag is set") {
  std::atomic<bool> stop{false};
  std::atomic<int> ran{0};
  run_jobs(1, 20, stop, [&](std::size_t i) {
    ++ran;
    stop = i == 4;
  });
  CHECK(ran == 5);
}

}  // namespace pool_test
