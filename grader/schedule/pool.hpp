// Runs numbered jobs on a few threads. Covered by schedule/pool_test.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace grader {

/// Calls job(0) … job(count - 1), each once. Jobs start in this order, on `threads` threads (at least one;
/// the caller's thread is one of them). After `stop` is set, no further job starts. Returns when all started
/// jobs have ended. `job` must not throw.
void run_jobs(unsigned threads, std::size_t count, const std::atomic<bool>& stop,
              const std::function<void(std::size_t)>& job);

}  // namespace grader
