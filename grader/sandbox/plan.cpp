#include "sandbox/plan.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/bubblewrap_command.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

/// Descriptors granted to the command are below this number; those of the box's own parts start at it.
constexpr int kFirstInternalDescriptor = 100;

bool open_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe.read.reset(ends[0]);
  pipe.write.reset(ends[1]);
  return true;
}

Unexpected<std::string> cannot_use(const fs::path& path) {
  return Unexpected{fmt::format("{}: {}", path.string(), std::strerror(errno))};
}

bool is_read_write(const BoxMount& mount) { return mount.access == BoxMount::Access::read_write; }

/// The mounts for bubblewrap and, if the grader runs as root, the mounts in the staging folder. Devices need
/// no staging, because all users can access /dev.
struct Mounts {
  std::vector<BoxMount> visible;
  std::vector<StagedMount> staged;
};

Expected<Mounts, std::string> plan_mounts(std::vector<BoxMount> mounts, bool as_root) {
  Mounts result{std::move(mounts), {}};
  for (BoxMount& mount : result.visible) {
    struct stat facts {};
    if (::stat(mount.outside.c_str(), &facts) != 0) return cannot_use(mount.outside);
    if (!as_root || mount.access == BoxMount::Access::device) continue;
    if (is_read_write(mount) && ::lchown(mount.outside.c_str(), kBoxUser, kBoxUser) != 0)
      return cannot_use(mount.outside);
    const std::string staged = fmt::format("{}/{}", kStagingFolder, result.staged.size());
    result.staged.push_back({fs::absolute(mount.outside).string(), staged, S_ISDIR(facts.st_mode)});
    mount.outside = staged;
  }
  return result;
}

void add_command(LaunchPlan& plan, const fs::path& init, int reports, std::uint32_t processes,
                 const std::vector<std::string>& command) {
  for (const std::string& one : {init.string(), std::to_string(reports), std::to_string(processes)})
    plan.command.push_back(one);
  plan.command.insert(plan.command.end(), command.begin(), command.end());
}

}  // namespace

void Wiring::close_writing_ends() {
  for (Pipe* pipe : {&output, &reports}) pipe->write.reset();
}

std::optional<Wiring> open_wiring(const std::string& filter) {
  Wiring wiring;
  wiring.null.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  wiring.info.reset(::memfd_create("box-info", MFD_CLOEXEC));
  if (!wiring.null || !wiring.info || !open_pipe(wiring.output) || !open_pipe(wiring.reports) ||
      !open_pipe(wiring.filter))
    return std::nullopt;
  // The filter fits into a pipe (64 KiB), so this write does not block.
  ::fcntl(wiring.filter.write.get(), F_SETFL, O_NONBLOCK);
  if (::write(wiring.filter.write.get(), filter.data(), filter.size()) != static_cast<ssize_t>(filter.size()))
    return std::nullopt;
  wiring.filter.write.reset();
  return wiring;
}

Expected<LaunchPlan, std::string> plan_launch(const BoxJob& job, const Wiring& wiring,
                                              const BoxPrograms& programs) {
  constexpr int kReports = kFirstInternalDescriptor, kInfo = kFirstInternalDescriptor + 1,
                kFilter = kFirstInternalDescriptor + 2;
  LaunchPlan plan;
  plan.report_descriptor = wiring.reports.write.get();
  plan.descriptors = job.descriptors;
  for (const auto& [ours, inside] :
       {std::pair{&wiring.null, 0}, std::pair{&wiring.output.write, 1}, std::pair{&wiring.output.write, 2},
        std::pair{&wiring.reports.write, kReports}})
    plan.descriptors.emplace_back(ours->get(), inside);

  if (programs.bubblewrap.empty()) {
    for (const auto& [name, value] : job.environment) plan.environment.push_back(name + "=" + value);
    plan.working_folder = job.working_folder;
    plan.own_process_group = true;
    add_command(plan, programs.init, kReports, 0, job.command);
    return plan;
  }

  plan.become_box_user = ::geteuid() == 0;
  if (plan.become_box_user && ::mkdir(kStagingFolder, 0755) != 0 && errno != EEXIST)
    return cannot_use(kStagingFolder);
  std::vector<BoxMount> all_mounts = job.mounts;
  all_mounts.push_back({programs.init, kInitInside});
  auto mounts = plan_mounts(std::move(all_mounts), plan.become_box_user);
  if (!mounts) return Unexpected{mounts.error()};
  plan.staged = std::move(mounts->staged);
  plan.descriptors.emplace_back(wiring.info.get(), kInfo);
  plan.descriptors.emplace_back(wiring.filter.read.get(), kFilter);
  plan.command = bubblewrap_command(programs.bubblewrap, job, mounts->visible, {kInfo, kFilter});
  add_command(plan, kInitInside, kReports, job.limits.processes, job.command);
  return plan;
}

}  // namespace grader
