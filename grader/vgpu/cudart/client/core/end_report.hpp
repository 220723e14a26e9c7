// For programs that end without the destructors of their libraries, as the harness does. Apart from the CUDA
// runtime, the library exports this function and that of memory/host_room.hpp. Covered by
// tests/runner/runner_test.cpp.
#pragma once

/// Sends the source places of the session's findings to the device: where the program allocated memory that
/// it has not freed, and where it issued work that races. Skips memory that the calling library allocated,
/// because that memory is meant to exist until the program ends.
extern "C" __attribute__((visibility("default"))) void warpgradeEndReport();
