#include "sandbox/box.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "base/programs.hpp"
#include "sandbox/conclude.hpp"
#include "sandbox/launch.hpp"
#include "sandbox/machine.hpp"
#include "sandbox/plan.hpp"
#include "sandbox/watch.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

Unexpected<Diagnostic> could_not_start(const std::string& why) {
  return Unexpected{diagnose("WG-S03", "the sandbox could not be started: " + why, "run `warpgrade doctor`")};
}

Unexpected<Diagnostic> could_not(std::string_view what) {
  return could_not_start(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

}  // namespace

Expected<Sandbox, Diagnostic> Sandbox::open() {
  Sandbox sandbox = without_isolation();
  const fs::path bubblewrap = find_program("bwrap");
  if (bubblewrap.empty()) return Unexpected{bubblewrap_missing()};
  const auto answer = sandbox.run({.command = {bubblewrap, "--version"}});
  if (!answer) return Unexpected{answer.error()};
  const std::string version = answer->output.substr(0, answer->output.find('\n'));

  sandbox.bubblewrap_ = bubblewrap;
  for (const SystemCalls calls : {SystemCalls::ordinary, SystemCalls::gpu}) {
    auto filter = system_call_filter(calls);
    if (!filter) return could_not_start("libseccomp cannot create a filter for this machine");
    sandbox.filters_[calls] = *std::move(filter);
  }
  sandbox.kind_ = {
      fmt::format("{}, seccomp, {}", version, sandbox.cgroups_ ? "memory cgroup" : "address-space limit"),
      true};
  const auto probe = sandbox.run({.command = {"/bin/true"}});
  if (!probe) return Unexpected{explain_probe_failure(probe.error(), version)};
  if (probe->end != BoxResult::End::exited || probe->code != 0)
    return could_not_start(fmt::format("a trial run of /bin/true ended with code {}", probe->code));
  return sandbox;
}

Sandbox Sandbox::without_isolation() {
  Sandbox sandbox;
  sandbox.kind_ = {"none: programs run with the rights of the current user", false};
  sandbox.init_ = fs::read_symlink("/proc/self/exe").parent_path() / "box-init";
  sandbox.cgroups_ = find_memory_cgroups();
  return sandbox;
}

Expected<BoxResult, Diagnostic> Sandbox::run(const BoxJob& job) const {
  const auto filter = filters_.find(job.system_calls);
  auto wiring = open_wiring(filter == filters_.end() ? "" : filter->second);
  if (!wiring) return could_not("open pipes");
  auto plan = plan_launch(job, *wiring, {bubblewrap_, init_});
  if (!plan) return could_not_start(plan.error());
  const auto cgroup = cgroups_ ? MemoryCgroup::make(*cgroups_, job.limits.memory_bytes) : std::nullopt;
  if (cgroups_ && !cgroup) return could_not("create a control group in " + cgroups_->path.string());

  plan->limits = {{RLIMIT_CPU, static_cast<rlim_t>(job.limits.cpu.count())},
                  {RLIMIT_FSIZE, job.limits.file_bytes},
                  {RLIMIT_CORE, 0}};
  if (cgroup) plan->cgroup_descriptor = cgroup->join_descriptor();
  // RLIMIT_AS limits virtual memory, whether it is used or not (getrlimit(2)), so that it is only the
  // fallback.
  if (!cgroup && job.limits.address_space_counts)
    plan->limits.emplace_back(RLIMIT_AS, job.limits.memory_bytes);

  const pid_t child = launch(*plan);
  if (child < 0) return could_not("start a process");
  wiring->close_writing_ends();
  const Watched watched = watch({child, std::move(wiring->output.read), std::move(wiring->reports.read),
                                 std::move(wiring->info), !kind_.isolated},
                                {job.limits.wall, job.limits.output_bytes, job.stop, job.excused_time,
                                 job.limits.wall * kMostPatience});
  if (!watched.gone) return Unexpected{unkillable(job.command.front())};
  if (const auto why = start_failure(watched, job.command.front())) return could_not_start(*why);
  return conclude(watched, job.limits, cgroup ? std::optional(cgroup->killed_for_memory()) : std::nullopt);
}

}  // namespace grader
