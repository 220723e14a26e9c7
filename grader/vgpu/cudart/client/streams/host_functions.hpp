// Host functions and callbacks that stand in streams. CUDA runs them in a thread of its own, some time after
// the work before them; without a wait the program does not know that one has run. So they run late here:
// when the program waits for them, when it issues work that must follow them, or when it waits in another
// way, by polling a flag or for another thread. A program that uses a function's results too early, or
// changes its data, then fails as on a real GPU. Callers hold the runtime's mutex, which is released while a
// function runs. Covered by tests/cudart/host_functions_test.cpp.
#pragma once

#include <cstdint>
#include <functional>

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

/// Adds a function to the device's stream `stream`.
Outcome add_host_function(Runtime& runtime, std::uint32_t stream, std::function<void()> function);

/// The number of the latest host function that was added; 0: none.
std::uint64_t last_host_function();

/// Runs all functions that still stand in streams.
void run_host_functions(Runtime& runtime);
/// Runs those that work in the stream must follow. The legacy default stream follows all other streams, and
/// they follow it; of streams that do not, functions can run earlier than they must.
void run_host_functions_of(Runtime& runtime, std::uint32_t stream);
/// Runs those that were added to the stream up to this number: those that an event follows.
void run_host_functions_before(Runtime& runtime, std::uint32_t stream, std::uint64_t number);

}  // namespace vgpu::cudart::client
