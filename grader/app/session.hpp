// Shared by `check`, `grade` and `lint`: the options for the device and the compiler, and the runner made
// from them.
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
  bool takes_both = false;      ///< "auto" means both devices where there is a real GPU, not the GPU alone
  std::string front_end;        ///< empty: the first one found
  unsigned device_threads = 0;  ///< 0: the command's own default
  double time_limit_s = 0;      ///< per case; 0: the default
  /// Real GPUs to use, as in CUDA_VISIBLE_DEVICES. Empty string: all; nullopt: the first.
  std::optional<std::string> gpus = {};
  bool records = false;            ///< `profile` only: RunnerOptions::records
  bool unsafe_no_sandbox = false;  ///< `grade` only: run submissions without a sandbox
};
/// For commands that use one device.
void add_session_options(Subcommand command, SessionOptions& options);
/// For commands that grade, on one device or on both.
void add_grading_options(Subcommand command, SessionOptions& options);

enum class Isolation { required, preferred };

/// Everything needed to build and run. Movable: a move keeps the runner's address.
struct Session {
  KitPaths paths;
  std::unique_ptr<Runner> runner;  ///< with both devices, the real GPU's
  std::string device_name;         ///< "virtual", "cuda, NVIDIA H200", "both, NVIDIA H200"
  std::unique_ptr<Runner> second;  ///< with both devices, the virtual GPU's; else nullptr

  Runners runners() const { return second ? Runners{second.get(), runner.get()} : only(*runner); }
};

/// The reason why no session can be opened, and the exit code for it.
struct NoSession {
  Diagnostic reason;
  int exit_code = 0;
};

/// With Isolation::preferred and without bubblewrap, programs run without a sandbox, and a note on stderr
/// reports that.
Expected<Session, NoSession> open_session(const SessionOptions& options, Isolation isolation,
                                          unsigned default_device_threads);

/// A session with the same compiler, sandbox and limits on the virtual GPU.
Session on_virtual_gpu(const Session& session);

GradingOptions grading_options();

/// The ids of the labs that these names mean; see labs_named().
Expected<std::vector<std::string>, Diagnostic> lab_ids_named(const KitPaths& paths,
                                                             const std::vector<std::string>& names);

/// The labs with these ids, in order and once each; all labs if `names` is empty. A name can be the beginning
/// of one lab's id ("02") or a path that ends in it. Labs that are not named are not read, so a broken one
/// causes no error.
Expected<std::vector<Lab>, Diagnostic> labs_named(const KitPaths& paths,
                                                  const std::vector<std::string>& names);

/// The id of the lab after `lab`; empty if it is the last one.
std::string lab_after(const KitPaths& paths, const std::string& lab);

/// A usage error that lists the names that exist.
Diagnostic no_such_task(const Lab& lab, const std::string& name);
/// `name` is a case or <task>/<case>.
Diagnostic no_such_case(const Lab& lab, const std::string& name);

/// Reports on stderr the real GPUs that were taken out of use, and why.
void report_lost_gpus(const Runner& runner);

/// How many submissions to grade at the same time: the number of CPUs plus one, because a job that sets up or
/// removes a sandbox waits for the operating system.
unsigned default_jobs();

/// The version of the program and the identity of its sources: "0.1.0+3f2a9c1d04b7".
std::string version_text();

}  // namespace grader::app
