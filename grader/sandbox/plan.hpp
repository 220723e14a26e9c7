// Prepares the start of a box: its pipes, and the launch plan for its job. Internal to the sandbox.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "sandbox/box.hpp"
#include "sandbox/launch.hpp"

namespace grader {

struct Pipe {
  Descriptor read, write;
};

/// The grader must close its copies of the writing ends after the start, so that readers see end-of-file.
struct Wiring {
  Descriptor null;  ///< standard input
  Pipe output;      ///< stdout and stderr
  Pipe reports;     ///< BoxReports
  Descriptor info;  ///< a file for bubblewrap's JSON, so that bubblewrap cannot die of SIGPIPE
  Pipe filter;      ///< the filter of system calls, for bubblewrap to read

  void close_writing_ends();
};

/// `filter` is for bubblewrap. nullopt, with errno set, if no descriptors are available.
std::optional<Wiring> open_wiring(const std::string& filter);

struct BoxPrograms {
  std::filesystem::path bubblewrap;  ///< empty = no isolation
  std::filesystem::path init;
};

/// The plan refers to `wiring`. The error names the path that does not exist.
Expected<LaunchPlan, std::string> plan_launch(const BoxJob& job, const Wiring& wiring,
                                              const BoxPrograms& programs);

}  // namespace grader
