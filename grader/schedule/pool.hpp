// Runs numbered jobs on a few threads. Covered by schedule/pool_test.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace grader {

/// Calls job(0) … job(count - 1), each once, in this order of starting, on `threads` threads (at least one;
/// one runs on the caller's own). Starts no further job once `stop` is set. Returns when all started jobs
/// have ended. `job` must not throw.
void run_jobs(unsigned threads, std::size_t count, const std::atomic<bool>& stop,
              const std::function<void(std::size_t)>& job);

}  // namespace grader
