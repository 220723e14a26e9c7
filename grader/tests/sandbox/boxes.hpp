// Helpers for tests that run boxes.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "sandbox/box.hpp"

namespace testing {

/// One sandbox for all tests; fails the test if this machine cannot run boxes.
inline const grader::Sandbox& sandbox() {
  static const auto opened = grader::Sandbox::open();
  if (!opened) FAIL(opened.error().what << "; " << opened.error().next_step);
  return *opened;
}

inline grader::BoxJob shell(const std::string& script) {
  return {.command = {"/bin/bash", "-c", script}, .environment = {{"PATH", "/usr/bin:/bin"}}};
}

inline grader::BoxResult run(const grader::BoxJob& job) {
  const auto result = sandbox().run(job);
  if (!result) FAIL(result.error().what);
  return *result;
}

inline void in_parallel(std::size_t count, const std::function<void(std::size_t)>& task) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(task, i);
  for (std::thread& one : threads) one.join();
}

}  // namespace testing
