// What `check`, `grade` and `lint` share: options about device and compiler, and the runner made from them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/output.hpp"
#include "lab/lab.hpp"
#include "runner/runner.hpp"
#include "schedule/grading.hpp"

namespace grader::app {

struct SessionOptions {
  std::string device = "auto";
  std::string front_end;        ///< empty: the first that is found
  unsigned device_threads = 0;  ///< 0: the command's own default
  double time_limit_s = 0;      ///< of one case; 0: the default
  /// Real GPUs to use, as in CUDA_VISIBLE_DEVICES; empty: all; nothing: the first.
  std::optional<std::string> gpus = {};
  bool unsafe_no_sandbox = false;  ///< `grade` only: goes on where no sandbox can be made
};
void add_session_options(Subcommand command, SessionOptions& options);

enum class Isolation { required, preferred };

/// Everything needed to build and run. Movable; the runner stays where it is.
struct Session {
  KitPaths paths;
  std::unique_ptr<Runner> runner;
  std::string device_name;  ///< "virtual", "cuda, NVIDIA H200"
};

/// Why there is no session, and the exit code that says so.
struct NoSession {
  Diagnostic reason;
  int exit_code = 0;
};

/// `preferred` isolation: without bubblewrap, programs run unboxed and a note on stderr says so.
Expected<Session, NoSession> open_session(const SessionOptions& options, Isolation isolation,
                                          unsigned default_device_threads);

/// The same compiler, sandbox and limits with the virtual GPU.
Session on_virtual_gpu(const Session& session);

GradingOptions grading_options();

/// The labs of these ids (or paths that end in one), in order; all labs for an empty list. A broken lab that
/// was not asked for does no harm.
Expected<std::vector<Lab>, Diagnostic> labs_named(const KitPaths& paths,
                                                  const std::vector<std::string>& names);

/// Says on stderr which real GPUs got no more work, and why.
void tell_lost_gpus(const Runner& runner);

/// How many submissions to grade at once: one more than there are CPUs, for who makes a box or takes one down
/// waits for the kernel meanwhile.
unsigned default_jobs();

/// The version of the program and the identity of its sources: "0.1.0+3f2a9c1d04b7".
std::string version_text();

}  // namespace grader::app
