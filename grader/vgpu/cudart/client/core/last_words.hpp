// For a program that ends without its libraries' destructors, as the harness does: beside the CUDA runtime,
// all that this library exports. Covered by tests/runner/runner_test.cpp.
#pragma once

/// Tells the device the lines of what it has found: where memory comes from that was not freed, and where
/// work was issued that races. What the caller's own library allocated is left out, unread: it is meant to
/// live until the end.
extern "C" __attribute__((visibility("default"))) void warpgradeSayLastWords();
