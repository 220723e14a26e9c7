#include "runner/host_load.hpp"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace grader;
using namespace std::chrono_literals;

TEST_CASE("a quiet host has no other work, and one thread has it") {
  std::atomic<int> loads{0}, quiet{0}, overlaps{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&, i] {
        for (int k = 0; k < 200; ++k) {
          if (i % 3 == 0) {
            const QuietHost host;
            if (++quiet != 1 || loads != 0) ++overlaps;
            --quiet;
          } else {
            const HostLoad load;
            ++loads;
            if (quiet != 0) ++overlaps;
            --loads;
          }
        }
      });
  }
  CHECK(overlaps == 0);
}

TEST_CASE("loads are there at the same time") {
  const HostLoad one;
  std::atomic<bool> is_there = false;
  std::jthread([&] {
    const HostLoad other;
    is_there = true;
  }).join();
  CHECK(is_there);
}

TEST_CASE("work does not overtake a measurement that waits for a quiet host") {
  auto running = std::optional<HostLoad>(std::in_place);
  std::atomic<int> order{0};
  int measured = 0, late = 0;
  {
    const std::jthread measures([&] {
      const QuietHost host;
      measured = ++order;
    });
    std::this_thread::sleep_for(
        50ms);  // in case it is still starting; the order holds either way if it is not
    const std::jthread works([&] {
      const HostLoad load;
      late = ++order;
    });
    std::this_thread::sleep_for(50ms);
    CHECK(order == 0);
    running.reset();
  }
  CHECK(measured == 1);
  CHECK(late == 2);
}
