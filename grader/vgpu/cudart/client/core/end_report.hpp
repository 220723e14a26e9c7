// For programs that end without the destructors of their libraries, as the harness does. Apart from the CUDA
// runtime, the library exports these functions and that of memory/host_room.hpp. Covered by
// tests/runner/runner_test.cpp.
#pragma once

#include <cstddef>

/// Sends the source places of the session's findings to the device: where the program allocated memory that
/// it has not freed, and where it issued work that races. Skips memory that the calling library allocated,
/// because that memory is meant to exist until the program ends.
extern "C" __attribute__((visibility("default"))) void warpgradeEndReport();

/// Reports to the device that the code that called the program calls its function now.
extern "C" __attribute__((visibility("default"))) void warpgradeBeginCall();

/// Reports to the device that the code that called the program is about to read device memory, with ordinary
/// operations of the default stream. Work of the program that these do not wait for is a race.
extern "C" __attribute__((visibility("default"))) void warpgradeReadByCaller(const void* start,
                                                                             std::size_t size_bytes);

/// Makes this device memory, which starts at a multiple of 16, like new memory: a kernel that reads it before
/// something writes it reads unwritten memory.
extern "C" __attribute__((visibility("default"))) void warpgradeForgetContents(const void* start,
                                                                               std::size_t size_bytes);
