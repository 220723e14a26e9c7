// How a box is started: its pipes, and the launch plan made from its job. Internal to the sandbox.
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

/// The box's writing ends must be closed here after the start, so that the end of what it says is seen.
struct Wiring {
  Descriptor null;  ///< standard input
  Pipe output;      ///< stdout and stderr
  Pipe reports;     ///< BoxReports
  Descriptor info;  ///< a file for bubblewrap's JSON, so that bubblewrap cannot die of SIGPIPE
  Pipe filter;      ///< system calls, for bubblewrap to read

  void close_writing_ends();
};

/// `filter` is for bubblewrap. nullopt, with errno set, when no descriptors are left.
std::optional<Wiring> open_wiring(const std::string& filter);

struct BoxPrograms {
  std::filesystem::path bubblewrap;  ///< empty = no isolation
  std::filesystem::path init;
};

/// The plan refers to `wiring`. The error names the path that is not there.
Expected<LaunchPlan, std::string> plan_launch(const BoxJob& job, const Wiring& wiring,
                                              const BoxPrograms& programs);

}  // namespace grader
