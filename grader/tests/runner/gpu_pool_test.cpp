#include "runner/gpu_pool.hpp"

#include <atomic>
#include <map>
#include <thread>

#include "catch.hpp"

using namespace grader;
using Outcome = GpuPool::Outcome;

namespace {

const GpuProbe kWell = [](const std::string&) { return std::string(); };
/// GPU b no longer answers.
const GpuProbe kBroken = [](const std::string& gpu) {
  return std::string(gpu == "b" ? "does not answer" : "");
};

}  // namespace

TEST_CASE("a GPU gets no more work at the same time than permitted") {
  GpuPool pool({"a", "b"}, 1, kWell);
  std::map<std::string, std::atomic<int>> busy;
  busy["a"] = 0, busy["b"] = 0;
  std::atomic<int> overlaps{0}, done{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k)
          pool.run([&](const std::string& gpu) {
            if (++busy.at(gpu) > 1) ++overlaps;
            std::this_thread::yield();
            --busy.at(gpu);
            ++done;
            return Outcome::good;
          });
      });
  }
  CHECK(overlaps == 0);
  CHECK(done == 200);
}

TEST_CASE("work on a GPU that proves unhealthy is repeated on another") {
  GpuPool pool({"b", "a"}, 1, kBroken);
  std::vector<std::string> used;
  CHECK(pool.run([&](const std::string& gpu) {
    used.push_back(gpu);
    return gpu == "b" ? Outcome::suspect : Outcome::good;
  }));
  CHECK(used == std::vector<std::string>{"b", "a"});
  REQUIRE(pool.lost().size() == 1);
  CHECK(pool.lost().front().gpu == "b");
  CHECK(pool.lost().front().why == "does not answer");
  CHECK(pool.run([](const std::string& gpu) { return gpu == "a" ? Outcome::good : Outcome::suspect; }));
}

TEST_CASE("a failure on a healthy GPU counts: the program caused it") {
  GpuPool pool({"a"}, 1, kWell);
  int calls = 0;
  CHECK(pool.run([&](const std::string&) {
    ++calls;
    return Outcome::suspect;
  }));
  CHECK(calls == 1);
  CHECK(pool.lost().empty());
}

TEST_CASE("when a GPU is lost, its other failed runs are repeated and its good runs count") {
  // The second of two runs on b ends after the first has removed b from the pool.
  GpuPool pool({"b"}, 2, kBroken);
  std::atomic<bool> second_began{false}, first_done{false};
  bool counts = true;
  std::jthread second([&] {
    counts = pool.run([&](const std::string&) {
      second_began = true;
      while (!first_done) std::this_thread::yield();
      return Outcome::suspect;
    });
  });
  CHECK_FALSE(pool.run([&](const std::string&) {
    while (!second_began) std::this_thread::yield();
    return Outcome::suspect;
  }));
  first_done = true;
  second.join();
  CHECK_FALSE(counts);
  CHECK(pool.lost().size() == 1);
}

TEST_CASE("without a healthy GPU no work is called, and no caller waits for ever") {
  GpuPool none({}, 1, kWell);
  CHECK_FALSE(none.run([](const std::string&) { return Outcome::good; }));
  GpuPool pool({"b"}, 1, kBroken);
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back(
          [&] { failed += pool.run([](const std::string&) { return Outcome::suspect; }) ? 0 : 1; });
  }
  CHECK(failed == 3);
}
