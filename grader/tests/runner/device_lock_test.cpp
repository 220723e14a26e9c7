#include "runner/device_lock.hpp"

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"
#include "catch.hpp"

using namespace grader;
using namespace std::chrono_literals;

TEST_CASE("turns alone never overlap with any other, between threads and lock objects") {
  const TemporaryFolder folder("lock");
  std::atomic<int> inside{0}, alone{0}, overlaps{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&, i] {
        const DeviceLock lock("GPU-1", folder.path());
        for (int k = 0; k < 30; ++k) {
          if (i % 2 == 0) {
            const auto turn = lock.exclusive();
            if (!turn || ++alone != 1 || inside != 0) ++overlaps;
            --alone;
          } else {
            const auto turn = lock.shared();
            ++inside;
            if (!turn || alone != 0) ++overlaps;
            --inside;
          }
        }
      });
  }
  CHECK(overlaps == 0);
}

TEST_CASE("two shared turns run at the same time, and two GPUs have independent locks") {
  const TemporaryFolder folder("lock");
  const DeviceLock one("GPU-1", folder.path()), other("GPU-2", folder.path());
  const auto first = one.shared(), second = one.shared(), elsewhere = other.exclusive();
  CHECK((first && second && elsewhere));
}

TEST_CASE("a waiting exclusive turn is not overtaken") {
  const TemporaryFolder folder("lock");
  const DeviceLock lock("GPU-1", folder.path());
  auto running = std::optional(lock.shared());
  std::atomic<int> order{0};
  int measured = 0, late = 0;
  {
    const std::jthread measures([&] {
      const auto turn = lock.exclusive();
      measured = ++order;
    });
    std::this_thread::sleep_for(50ms);
    const std::jthread comes_later([&] {
      const auto turn = lock.shared();
      late = ++order;
    });
    std::this_thread::sleep_for(50ms);
    running.reset();
  }
  CHECK(measured == 1);
  CHECK(late == 2);
}

TEST_CASE("a process that is killed during its turn releases the lock") {
  const TemporaryFolder folder("lock");
  const DeviceLock lock("GPU-1", folder.path());
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto turn = lock.exclusive();
    if (::write(ends[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char ready = 0;
  REQUIRE(::read(ends[0], &ready, 1) == 1);
  ::close(ends[0]);
  ::close(ends[1]);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(lock.exclusive());
}

TEST_CASE("a device's name cannot leave the folder, and a missing folder is an error") {
  const TemporaryFolder folder("lock");
  CHECK(DeviceLock("../../etc/passwd", folder.path()).shared());
  CHECK_FALSE(DeviceLock("GPU-1", folder.path() / "none").shared());
}
