#include "sandbox/conclude.hpp"

#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <sys/wait.h>

namespace grader {
namespace {

using End = BoxResult::End;

const BoxReport* find_report(const Watched& watched, BoxReport::Kind kind) {
  for (const BoxReport& one : watched.reports)
    if (one.kind == kind) return &one;
  return nullptr;
}

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](timeval t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct OwnEnd {
  End end;
  int code;
};

/// How the command ended by itself. If there is no report, the box's first process was killed: by the grader,
/// by the kernel, or from inside through prlimit().
OwnEnd own_end(const Watched& watched) {
  const BoxReport* ended = find_report(watched, BoxReport::Kind::ended);
  if (ended == nullptr) return {End::signalled, SIGKILL};
  if (WIFSIGNALED(ended->value)) return {End::signalled, WTERMSIG(ended->value)};
  return {End::exited, WEXITSTATUS(ended->value)};
}

/// The rule for memory_limit without a cgroup.
bool failed_near_memory_limit(const Watched& watched, const BoxLimits& limits) {
  const OwnEnd own = own_end(watched);
  const bool failed = own.end == End::signalled || own.code != 0;
  const auto largest_bytes = static_cast<std::uint64_t>(watched.usage.ru_maxrss) * 1024;
  return failed && limits.address_space_counts && largest_bytes >= limits.memory_bytes / 10 * 9;
}

/// SIGXCPU is sent at the limit and SIGKILL one second later. The kernel also counts time that the host of a
/// virtual machine took away (steal time) against the limit, but rusage does not contain it: on a busy host,
/// rusage was 0.87 s at a limit of 1 s.
constexpr double kCountedPart = 0.5;

bool used_up_cpu(const Watched& watched, const BoxLimits& limits) {
  const OwnEnd own = own_end(watched);
  const bool cut = own.end == End::signalled && (own.code == SIGXCPU || own.code == SIGKILL);
  return cut && cpu_seconds(watched.usage) >= kCountedPart * static_cast<double>(limits.cpu.count());
}

End decide_end(const Watched& watched, const BoxLimits& limits, std::optional<bool> killed_for_memory) {
  if (watched.killed == Watched::Killed::stopped) return End::stopped;
  if (killed_for_memory.value_or(false)) return End::memory_limit;
  if (!killed_for_memory && failed_near_memory_limit(watched, limits)) return End::memory_limit;
  if (watched.killed == Watched::Killed::output_limit) return End::output_limit;
  if (watched.killed == Watched::Killed::wall_limit) return End::wall_limit;
  if (used_up_cpu(watched, limits)) return End::cpu_limit;
  return own_end(watched).end;
}

}  // namespace

std::optional<std::string> start_failure(const Watched& watched, const std::string& command) {
  if (const BoxReport* report = find_report(watched, BoxReport::Kind::not_launched))
    return std::strerror(report->value);
  if (const BoxReport* report = find_report(watched, BoxReport::Kind::not_executed))
    return fmt::format("{}: {}", command, std::strerror(report->value));
  const bool started = find_report(watched, BoxReport::Kind::started) != nullptr;
  if (started || watched.killed != Watched::Killed::no) return std::nullopt;
  return watched.output.empty() ? fmt::format("wait status {}", watched.status) : watched.output;
}

BoxResult conclude(const Watched& watched, const BoxLimits& limits, std::optional<bool> killed_for_memory) {
  BoxResult result;
  result.end = decide_end(watched, limits, killed_for_memory);
  result.code = own_end(watched).code;
  result.output = watched.output;
  result.wall = watched.wall;
  result.cpu = std::chrono::duration<double>(cpu_seconds(watched.usage));
  return result;
}

}  // namespace grader
