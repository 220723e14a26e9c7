#include "schedule/publish.hpp"

#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"
#include "catch.hpp"

namespace publish_test {

using namespace grader;
using testing::contains;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) { return *read_file(file, 1 << 20U); }

}  // namespace

TEST_CASE("the first published file is kept, later ones change nothing") {
  const TemporaryFolder folder("publish");
  const fs::path file = folder.path() / "results" / "alice" / "lab.json",
                 attempts = folder.path() / "attempts";
  const auto first = publish(file, "first", attempts);
  REQUIRE(first);
  CHECK(*first == Publication::first);
  const auto second = publish(file, "second", attempts);
  REQUIRE(second);
  CHECK(*second == Publication::late);
  CHECK(text_of(file) == "first");
  CHECK(fs::is_empty(attempts));
}

TEST_CASE("exactly one of many threads publishes first, and the file is its complete file") {
  const TemporaryFolder folder("publish");
  std::atomic<int> firsts{0}, winner{-1};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, i] {
        const auto done = publish(folder.path() / "r" / "a.json", std::string(100'000, char('a' + i)),
                                  folder.path() / "attempts");
        if (done && *done == Publication::first) ++firsts, winner = i;
      });
  }
  CHECK(firsts == 1);
  CHECK(text_of(folder.path() / "r" / "a.json") == std::string(100'000, char('a' + winner)));
  CHECK(fs::is_empty(folder.path() / "attempts"));
}

TEST_CASE("a process that is killed while it publishes leaves a complete file or none") {
  const TemporaryFolder folder("publish");
  const std::string bytes(1'000'000, 'x');
  for (int i = 0; i < 10; ++i) {
    const fs::path file = folder.path() / "r" / std::to_string(i);
    const pid_t child = ::fork();
    if (child == 0) {
      publish(file, bytes, folder.path() / "attempts");
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(i * 200));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    if (fs::exists(file)) CHECK(fs::file_size(file) == bytes.size());
    const auto after = publish(file, bytes, folder.path() / "attempts");
    CHECK(after);
    CHECK(fs::file_size(file) == bytes.size());
  }
}

TEST_CASE("a file that cannot be published is reported with the reason") {
  const auto refused = publish("/proc/none/r.json", "x", "/proc/none/attempts");
  CHECK_FALSE(refused);
  const TemporaryFolder folder("publish");
  REQUIRE(write_file_atomically(folder.path() / "file", "x"));
  CHECK_FALSE(publish(folder.path() / "file" / "r.json", "x", folder.path() / "attempts"));
}

}  // namespace publish_test
