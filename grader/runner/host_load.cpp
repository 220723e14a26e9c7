#include "runner/host_load.hpp"

#include <condition_variable>
#include <mutex>

namespace grader {
namespace {

// Of this process: its threads share one host.
struct Users {
  std::mutex mutex;
  std::condition_variable changed;
  int loads = 0;
  int wishes = 0;  ///< threads that have or want a QuietHost
  bool is_quiet = false;
};

Users& users() {
  static Users one;
  return one;
}

}  // namespace

HostLoad::HostLoad() {
  std::unique_lock lock(users().mutex);
  users().changed.wait(lock, [] { return users().wishes == 0; });
  ++users().loads;
}

HostLoad::~HostLoad() {
  const std::lock_guard lock(users().mutex);
  --users().loads;
  users().changed.notify_all();
}

QuietHost::QuietHost() {
  std::unique_lock lock(users().mutex);
  ++users().wishes;
  users().changed.wait(lock, [] { return users().loads == 0 && !users().is_quiet; });
  users().is_quiet = true;
}

QuietHost::~QuietHost() {
  const std::lock_guard lock(users().mutex);
  --users().wishes;
  users().is_quiet = false;
  users().changed.notify_all();
}

}  // namespace grader
